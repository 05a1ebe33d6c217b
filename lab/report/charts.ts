// The charts of a report: data in, SVG by Observable Plot with caption and legend out.
import * as Plot from "@observablehq/plot";
import { Window } from "happy-dom";
import { Html } from "../../scripts/build/reference/html.ts";
import { Figure, type LegendEntry } from "./figure.ts";
import { placeLabels } from "./labels.ts";
import { shownNumber } from "./page.ts";

const WIDTH = 760;
const HEIGHT = 340;

/**
 * Plot's default palette in an order whose first entries differ in lightness too; each goes with a
 * dash and a symbol.
 */
const COLOURS = ["#3b6fd8", "#d97706", "#0f9d76", "#c2347a", "#8b5cf6", "#6b7280", "#0891b2", "#b45309"];
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "10 4", "1 4", "4 2", "12 3"];
const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "cross", "wye", "asterisk"] as const;

// One document serves every chart: Plot only makes elements with it.
const document = new Window().document as unknown as Document;

export interface Axis {
  label: string;
  log?: boolean;
  domain?: readonly [number, number];
  /** Where to put ticks, and how to name each. */
  ticks?: readonly number[];
  tick_name?: (value: number) => string;
}

export interface ChartFrame {
  title: string;
  /** Pixels; less than the usual where the chart is shown as a picture on a phone. */
  width?: number;
  /** A sentence below the title: what to see. */
  description?: string;
  x: Axis;
  y: Axis;
}

/**
 * A point; `low` and `high` bound its interval along y. Values without a place on a log axis (<= 0) are left
 * out.
 */
export interface ChartPoint {
  x: number;
  y: number;
  low?: number | null;
  high?: number | null;
  /** Written beside the point. */
  label?: string;
}

export interface Series {
  name: string;
  points: readonly ChartPoint[];
}

/** A straight line across the chart at a value of one axis, with its name. */
export interface Rule {
  axis: "x" | "y";
  at: number;
  name: string;
}

const scale = ({ label, log, domain, ticks, tick_name }: Axis): Plot.ScaleOptions => ({
  label,
  type: log ? "log" : "linear",
  grid: true,
  ...(domain && { domain: [...domain] }),
  ...(ticks && { ticks: [...ticks] }),
  tickFormat: tick_name ?? ((value: number) => shownNumber(value)),
});

const drawable = (axis: Axis) => (value: number | null | undefined) =>
  typeof value === "number" && Number.isFinite(value) && (!axis.log || value > 0);

/**
 * The points that the axes can show; an interval that reaches below a log axis is drawn down to
 * half its value.
 */
function visible(points: readonly ChartPoint[], { x, y }: ChartFrame): ChartPoint[] {
  const [okX, okY] = [drawable(x), drawable(y)];
  const shown = points.filter((point) => okX(point.x) && okY(point.y));
  return shown.map((point) => (point.low == null || okY(point.low) ? point : { ...point, low: point.y / 2 }));
}

type Caption = Pick<ChartFrame, "title" | "description" | "width">;

const legendOf = (names: readonly string[], kind: "line" | "box"): LegendEntry[] =>
  names.map((name, i) => ({
    name,
    colour: COLOURS[i % COLOURS.length] as string,
    ...(kind === "line" && { dash: DASHES[i % DASHES.length] as string }),
  }));

const OPTIONS = {
  ...{ document, width: WIDTH, height: HEIGHT, marginLeft: 64, marginBottom: 44, marginRight: 32 },
};

const sized = ({ width }: Caption) => (width === undefined ? {} : { width });

function draw(frame: Caption, legend: readonly LegendEntry[], options: Plot.PlotOptions): Figure {
  const whole = {
    ...OPTIONS,
    ariaLabel: frame.title,
    ariaDescription: frame.description ?? frame.title,
    ...sized(frame),
    ...options,
  };
  const svg = new Html(Plot.plot(whole).outerHTML.replace("<svg ", '<svg role="img" style="font-size: 12px" '));
  return new Figure({ ...frame, legend, svg, width: whole.width, height: whole.height });
}

/** @param above whether the name of an upright rule stands above the frame, where no bar is */
const ruleMarks = (rules: readonly Rule[], above = false): Plot.Markish[] =>
  rules.flatMap(({ axis, at, name }) => {
    const line = { stroke: "currentColor", strokeDasharray: "4 4", strokeOpacity: 0.7 };
    const text = { text: () => name, fill: "currentColor" };
    return axis === "x"
      ? [
          Plot.ruleX([at], line),
          Plot.text([at], {
            ...{ ...text, x: at, frameAnchor: "top" },
            ...(above ? { textAnchor: "middle", dy: -9 } : { textAnchor: "end", dx: -5, dy: 6 }),
          }),
        ]
      : [
          Plot.ruleY([at], line),
          Plot.text([at], { ...text, y: at, frameAnchor: "right", textAnchor: "end", dx: -4, dy: -8 }),
        ];
  });

function seriesMarks(points: readonly ChartPoint[], index: number, joined: boolean, markers: boolean): Plot.Markish[] {
  const stroke = COLOURS[index % COLOURS.length] as string;
  const strokeDasharray = DASHES[index % DASHES.length] as string;
  const ranged = points.filter(({ low, high }) => low != null && high != null);
  return [
    ranged.length === 0 ? null : Plot.ruleX(ranged, { x: "x", y1: "low", y2: "high", stroke, strokeOpacity: 0.6 }),
    !joined ? null : Plot.lineY(points, { x: "x", y: "y", stroke, strokeDasharray, strokeWidth: 2 }),
    !markers
      ? null
      : Plot.dot(points, { x: "x", y: "y", fill: stroke, symbol: SYMBOLS[index % SYMBOLS.length], r: 3.5 }),
  ];
}

/** The labels of points, each where it is on nothing else; one without room is left out. */
function labelMarks(series: readonly (readonly ChartPoint[])[], options: Plot.PlotOptions): Plot.Markish[] {
  const points = series.flat();
  const labelled = points.filter(({ label }) => label !== undefined);
  if (labelled.length === 0) return [];
  const {
    marginLeft = 0,
    marginRight = 0,
    marginBottom = 0,
    width = WIDTH,
    height = HEIGHT,
    ...rest
  } = { ...OPTIONS, ...options };
  const bare = Plot.plot({ ...rest, marginLeft, marginRight, marginBottom, width, height });
  const [x, y] = [bare.scale("x"), bare.scale("y")];
  const place = (point: ChartPoint) => ({ x: Number(x?.apply(point.x)), y: Number(y?.apply(point.y)) });
  const frame = { left: marginLeft, right: width, top: 0, bottom: height - marginBottom };
  const offsets = placeLabels(
    labelled.map((point) => ({ ...place(point), text: point.label as string })),
    points.map(place),
    frame,
  );
  return labelled.flatMap((point, i) => {
    const offset = offsets[i];
    if (offset == null) return [];
    const text = {
      text: () => point.label as string,
      fill: "currentColor",
      textAnchor: "middle",
      ariaDescription: "label",
    } as const;
    return [Plot.text([point], { x: "x", y: "y", ...text, ...offset })];
  });
}

/**
 * Lines over a numeric axis, each with its colour and dash; intervals as upright strokes. Markers
 * only where points are few.
 */
export function lineChart(frame: ChartFrame & { series: readonly Series[]; rules?: readonly Rule[] }): Figure {
  const lines = frame.series.map(({ points }) => visible(points, frame));
  const marks = lines.flatMap((points, i) => seriesMarks(points, i, true, points.length <= 40));
  const options = { x: scale(frame.x), y: scale(frame.y), marks: [...ruleMarks(frame.rules ?? []), ...marks] };
  const names = frame.series.map(({ name }) => name);
  const labels = labelMarks(lines, options);
  return draw(frame, legendOf(names, "line"), { ...options, marks: [...options.marks, ...labels] });
}

/**
 * Points by series, each with colour and symbol; `front` (in order of x) is joined by a stepless
 * line, e.g. a Pareto front.
 */
export function scatterChart(
  frame: ChartFrame & { series: readonly Series[]; front?: readonly ChartPoint[]; rules?: readonly Rule[] },
): Figure {
  const front = visible(frame.front ?? [], frame);
  const shown = frame.series.map(({ points }) => visible(points, frame));
  const marks = shown.flatMap((points, i) => seriesMarks(points, i, false, true));
  const line = Plot.lineY(front, { x: "x", y: "y", stroke: "currentColor", strokeOpacity: 0.5 });
  const scales = { ...sized(frame), x: scale(frame.x), y: scale(frame.y), inset: 18 };
  const options = { ...scales, marks: [...ruleMarks(frame.rules ?? []), line, ...marks] };
  const names = frame.series.map(({ name }) => name);
  return draw(frame, legendOf(names, "box"), { ...options, marks: [...options.marks, ...labelMarks(shown, options)] });
}

export interface Bar {
  name: string;
  value: number;
  low?: number | null;
  high?: number | null;
  /** Bars of one name are stacked, in the order of first appearance of their series. */
  series?: string;
}

/** Lying bars, one row a name, stacked by series; an interval of an unstacked bar is a stroke. */
export function barChart(
  frame: Caption & { value: Axis; bars: readonly Bar[]; rules?: readonly Omit<Rule, "axis">[] },
): Figure {
  const bars = frame.bars.filter(({ value }) => drawable(frame.value)(value));
  const names = [...new Set(bars.map(({ name }) => name))];
  const series = [...new Set(bars.map((bar) => bar.series ?? ""))];
  const ranged = bars.filter(({ low, high }) => low != null && high != null);
  const fill = (bar: Bar) => COLOURS[series.indexOf(bar.series ?? "") % COLOURS.length] as string;
  const widest = Math.max(0, ...names.map(({ length }) => length));
  return draw(frame, legendOf(series, "box"), {
    height: 70 + 34 * names.length,
    ...(frame.rules !== undefined && { marginTop: 24 }),
    marginLeft: Math.min(300, 24 + 7 * widest),
    x: scale(frame.value),
    y: { domain: names, label: null },
    marks: [
      Plot.barX(bars, { x: "value", y: "name", fill, insetTop: 3, insetBottom: 3 }),
      Plot.ruleY(ranged, { x1: "low", x2: "high", y: "name", stroke: "currentColor" }),
      Plot.ruleX([0]),
      ...ruleMarks(
        (frame.rules ?? []).map((rule) => ({ ...rule, axis: "x" as const })),
        true,
      ),
    ],
  });
}

export interface HeatCell {
  x: string;
  y: string;
  /** null: not measured, drawn empty. */
  value: number | null;
}

/** Cells of two named axes, shaded by value with the value written in each. */
export function heatmap(frame: Caption & { x: string; y: string; cells: readonly HeatCell[] }): Figure {
  const cells = frame.cells.filter(({ value }) => value !== null && Number.isFinite(value));
  const values = cells.map(({ value }) => value as number);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const rows = new Set(frame.cells.map(({ y }) => y)).size;
  const isDark = (value: number) => high > low && (value - low) / (high - low) > 0.55;
  return draw(frame, [], {
    height: 80 + 32 * rows,
    marginLeft: 48 + 7 * Math.max(0, ...frame.cells.map(({ y }) => y.length)),
    x: { label: frame.x, domain: [...new Set(frame.cells.map(({ x }) => x))] },
    y: { label: frame.y, domain: [...new Set(frame.cells.map(({ y }) => y))] },
    color: { type: "linear", scheme: "blues", domain: [low, high === low ? low + 1 : high] },
    marks: [
      Plot.cell(cells, { x: "x", y: "y", fill: "value", inset: 1 }),
      Plot.text(cells, {
        x: "x",
        y: "y",
        text: ({ value }: HeatCell) => shownNumber(value),
        fill: ({ value }: HeatCell) => (isDark(value as number) ? "white" : "black"),
      }),
    ],
  });
}
