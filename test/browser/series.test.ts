// What is done to a chart's points before they are drawn.
import { expect, it } from "vitest";
import { binned, POINTS_MOST, type Point, smoothed, strokesOf } from "../../scripts/build/pages/browser/series.ts";
import { viewIn, withView } from "../../scripts/build/pages/browser/view.ts";

const line = (count: number, series: string, more: Partial<Point> = {}): Point[] =>
  Array.from({ length: count }, (_, step) => ({ step, value: step % 2, series, ...more }));

it("neighbours of a long line share a point: their mean, and the whole of their band", () => {
  const banded = line(2 * POINTS_MOST, "reward").map((point) => ({ ...point, low: (point.value ?? 0) - 1, high: 2 }));
  const drawn = binned([...banded, ...line(10, "short")]);
  expect(drawn.filter(({ series }) => series === "reward")).toHaveLength(POINTS_MOST);
  expect(drawn[1]).toEqual({ step: 2, series: "reward", value: 0.5, low: -1, high: 2 });
  expect(drawn.filter(({ series }) => series === "short")).toEqual(line(10, "short"));
  const gap = binned(line(POINTS_MOST + 2, "gap").map((point) => (point.step < 2 ? { ...point, value: null } : point)));
  expect(gap[0]).toMatchObject({ step: 0, value: null });
});

it("a run has a colour and its series dashes; alone each series has both", () => {
  const alone = strokesOf([...line(2, "median"), ...line(2, "95 %")]);
  expect(new Set(alone.colors).size).toBe(2);
  expect(alone.dashOf("median")).not.toBe(alone.dashOf("95 %"));
  const two = ["a", "b"].flatMap((run) => ["median", "95 %"].flatMap((name) => line(2, `${run}: ${name}`, { run })));
  const { names, colors, dashOf } = strokesOf(two);
  expect(names).toEqual(["a: median", "a: 95 %", "b: median", "b: 95 %"]);
  expect([colors[0] === colors[1], colors[2] === colors[3], colors[0] === colors[2]]).toEqual([true, true, false]);
  expect(dashOf("a: 95 %")).toBe(dashOf("b: 95 %"));
});

it("a moving average begins at the first value, keeps gaps, and is each series' own", () => {
  const points = [...line(4, "a"), { step: 4, value: null, series: "a" }, ...line(2, "b", { value: 7 })];
  const drawn = smoothed(points, 0.6);
  const past = ["0.0000", "0.6250", "0.3061", "0.6250", undefined];
  expect(drawn.map(({ value }) => value?.toFixed(4))).toEqual([...past, "7.0000", "7.0000"]);
  expect(smoothed(points, 0)).toEqual(points);
});

it("a view is told in the address, and read from it again; what names no view is none", () => {
  const view = { smoothing: 0.9, over: "time", from: 1.5, to: null } as const;
  const search = withView("?with=other&from=3&to=9", view);
  expect(search).toBe("with=other&from=1.5&smooth=0.9&over=time");
  expect(viewIn(`?${search}`)).toEqual(view);
  expect(withView(search, { smoothing: 0, over: "step", from: null, to: null })).toBe("with=other");
  expect(viewIn("?smooth=2&over=moon&from=x&to=")).toEqual({ smoothing: 0, over: "step", from: null, to: null });
});
