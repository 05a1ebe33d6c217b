// What is done to a chart's points before they are drawn.
import { expect, it } from "vitest";
import { binned, POINTS_MOST, type Point, smoothed, strokesOf } from "../../scripts/build/pages/browser/series.ts";
import { viewIn, withView } from "../../scripts/build/pages/browser/view.ts";
import { RUNS_STYLE } from "../../scripts/build/pages/style.ts";

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

// Machado, Oliveira and Fernandes 2009, at full severity, over linear RGB.
const SEEN = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  "no green": [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  "no red": [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
};

/** CIE L*a*b* of a colour as somebody sees it. */
function labOf(hex: string, seen: readonly number[]): number[] {
  const linear = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const weighed = (rows: readonly number[], of: readonly number[]) =>
    [0, 3, 6].map((at) => rows.slice(at, at + 3).reduce((sum, weight, i) => sum + weight * (of[i] as number), 0));
  const rgb = weighed(seen, linear).map((part) => Math.min(1, Math.max(0, part)));
  const white = [0.4339, 0.3762, 0.1899, 0.2126, 0.7152, 0.0722, 0.0177, 0.1095, 0.8728];
  const [x = 0, y = 0, z = 0] = weighed(white, rgb).map((part) =>
    part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116,
  );
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

it.each(Object.entries(SEEN))("each theme's colours of series are far apart to one who sees %s", (_, seen) => {
  const themes = RUNS_STYLE.split("\n").flatMap((rule) => {
    const colors = [...rule.matchAll(/--series-[a-f]: (#[0-9a-f]{6})/g)].map(([, hex = ""]) => labOf(hex, seen));
    return colors.length === 0 ? [] : [colors];
  });
  expect(themes.map(({ length }) => length)).toEqual([6, 6]);
  for (const colors of themes) {
    const apart = colors.flatMap((one, i) =>
      colors.slice(i + 1).map((other) => Math.hypot(...one.map((part, at) => part - (other[at] as number)))),
    );
    // A step of 2.3 is just seen between large surfaces; lines are thin.
    expect(Math.min(...apart)).toBeGreaterThan(25);
  }
});
