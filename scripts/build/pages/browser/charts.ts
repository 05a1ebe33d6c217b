// The charts over a run's steps: one line a measure, alarms and spec changes as marks, and the spread of
// rewards; each saved or copied as SVG.
import { areaY, dot, line, lineY, plot, pointerX, rect, ruleX, ruleY, text, tip } from "@observablehq/plot";
import type { Threshold } from "../chart-table.ts";
import { el } from "./dom.ts";
import { draggable } from "./drag.ts";
import { dashedLegend } from "./legend.ts";
import { compact, figure as figureOf } from "./numbers.ts";
import { binned, type Point, smoothed, strokesOf } from "./series.ts";
import type { Spread } from "./spread.ts";
import { isShown, placeOf, type View, type ViewControls } from "./view.ts";

export interface ChartOptions {
  title: string;
  /** Heading of the part of the page that has the chart. */
  section: string;
  unit: string;
  points: readonly Point[];
  /** Names of the runs that the page draws, where it draws several: each has its colour in every chart. */
  runs?: readonly string[];
  /** A sentence below the title. */
  note?: string;
  /** Values beyond which an alarm begins. */
  thresholds?: readonly Threshold[];
  /** Steps at which an alarm began, and its name. */
  marks?: readonly Mark[];
  /** Steps at which another spec came into use. */
  changes?: readonly number[];
  /** When each step began, in hours since the run did. */
  hours?: ReadonlyMap<number, number>;
}

/** A vertical line of a chart. */
interface Mark {
  step: number;
  label: string;
}

/** How it is looked at, and what a drag over it does. */
type Looking = Pick<ViewControls, "view" | "zoom" | "whole">;

/**
 * Plot's figure as this page takes it: rules of its style element, which the page's policy does not let in,
 * are in runs.css; the drawing is one image with one name.
 */
function asImage<T extends Element>(figure: T): T {
  for (const style of figure.querySelectorAll("style")) style.remove();
  for (const part of figure.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label");
  const drawings = figure.matches("svg") ? [figure] : [...figure.querySelectorAll("svg[aria-label]")];
  for (const drawing of drawings) drawing.setAttribute("role", "img");
  return figure;
}

function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** A button that saves a text as a file. */
export const saving = (label: string, name: string, type: string, text: () => string): HTMLElement =>
  el("button", { type: "button", class: "small", onclick: () => download(name, text(), type) }, label);

/** A button that puts a text on the clipboard, and says so. */
export const copying = (label: string, text: () => string): HTMLElement => {
  const button = el("button", { type: "button", class: "small", onclick: () => void copy() }, label);
  const copy = async () => {
    const said = await navigator.clipboard.writeText(text()).then(
      () => "copied",
      () => "blocked by the browser",
    );
    button.textContent = `${label}: ${said}`;
  };
  return button;
};

/** The drawing as a separate file: the colours of this page's style are written out. */
function svgText(figure: Element): string {
  const drawing = figure.matches("svg") ? figure : (figure.querySelector("svg:last-of-type") as Element);
  const style = getComputedStyle(drawing);
  return new XMLSerializer()
    .serializeToString(drawing)
    .replace(/var\((--[a-z-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim())
    .replaceAll("currentColor", style.color);
}

function framed(title: string, figure: Element, note?: string): HTMLElement {
  const svg = () => svgText(figure);
  const tools = el(
    "span",
    { class: "tools" },
    saving("SVG", `${title}.svg`, "image/svg+xml", svg),
    copying("Copy", svg),
  );
  const said = note === undefined ? [] : [el("p", { class: "soft" }, note)];
  return el("section", { class: "chart" }, el("h3", {}, title, tools), ...said, figure as HTMLElement);
}

/** A label nearer to the last one than this share of the axis is left out. */
const LABEL_SHARE = 0.22;

/** How a vertical line is drawn: where an alarm began, and where the spec changed. */
const RULES = {
  began: { stroke: "var(--required)" },
  change: { stroke: "var(--calm)", strokeDasharray: "2 3" },
} as const;

interface Rule {
  x: number;
  label: string;
  kind: keyof typeof RULES;
  /** Left out without room. */
  labelled: boolean;
}

/** The vertical lines that are shown, from left to right. */
function rulesOf(
  { marks = [], changes = [], hours }: Pick<ChartOptions, "marks" | "changes" | "hours">,
  view: View,
  [low, high]: Extent,
): Rule[] {
  const all = [
    ...marks.map((mark) => ({ ...mark, kind: "began" as const })),
    ...changes.map((step) => ({ step, label: "spec changed", kind: "change" as const })),
  ];
  let last = Number.NEGATIVE_INFINITY;
  return all
    .flatMap(({ step, ...rule }) => {
      const x = placeOf(view, { step, hours: hours?.get(step) });
      return isShown(view, x) ? [{ ...rule, x }] : [];
    })
    .sort((a, b) => a.x - b.x)
    .map((rule) => {
      const labelled = rule.x - last >= LABEL_SHARE * (high - low);
      if (labelled) last = rule.x;
      return { ...rule, labelled };
    });
}

/**
 * The lines with their labels, each on the side with more room.
 * @param dy distance of the labels from the top, in pixels
 */
function ruleMarks(rules: readonly Rule[], [low, high]: Extent, dy = 0) {
  return (["began", "change"] as const).flatMap((kind) => {
    const same = rules.filter((rule) => rule.kind === kind);
    const label = (textAnchor: "start" | "end", some: readonly Rule[]) =>
      text(some, {
        ...{ x: "x", text: "label", frameAnchor: "top", textAnchor, className: kind },
        ...{ dx: textAnchor === "end" ? -3 : 3, dy },
      });
    const [left, right] = [true, false].map((isLeft) =>
      same.filter(({ x, labelled }) => labelled && x <= (low + high) / 2 === isLeft),
    ) as [Rule[], Rule[]];
    return [ruleX(same, { x: "x", strokeWidth: 1.5, ...RULES[kind] }), label("start", left), label("end", right)];
  });
}

/** Height of the part of a chart between its axes, in pixels, about. */
const PLOT_HEIGHT = 140;

/**
 * The lines of thresholds. Near the chart's upper end, where the labels of vertical lines are, a label
 * stands below its line.
 */
function thresholdMarks(thresholds: readonly Threshold[], [lowest, highest]: Extent) {
  const isNearTop = (value: number) => (highest - value) * PLOT_HEIGHT <= 2 * LABEL_ROW * (highest - lowest);
  const label = (isBelow: boolean) =>
    text(
      thresholds.filter(({ value }) => isNearTop(value) === isBelow),
      {
        ...{ y: "value", text: "label", frameAnchor: "left", textAnchor: "start", className: "threshold" },
        ...{ dx: 3, dy: isBelow ? 8 : -6 },
      },
    );
  return [ruleY(thresholds, { y: "value", stroke: "var(--warn)", strokeDasharray: "4 3" }), label(true), label(false)];
}

type Extent = readonly [low: number, high: number];

const extentOf = (places: readonly number[]): Extent => [
  places.reduce((a, b) => Math.min(a, b), Infinity),
  places.reduce((a, b) => Math.max(a, b), -Infinity),
];

/** Few steps have a tick each; between two there is none to tell. */
function placeAxis([low, high]: Extent, over: View["over"]) {
  if (over === "time") return { label: "hours since the run began", ticks: 5 };
  return { label: "step", tickFormat: "d", ticks: Math.max(1, Math.min(5, high - low)) };
}

/** Short enough for the margin, whatever the size. */
const tickText = (value: number): string =>
  Math.abs(value) >= 10_000
    ? compact(value)
    : value.toLocaleString(
        "en",
        Math.abs(value) < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 3 },
      );

/** The bounds of a value, by its axis's words. */
const BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  share: [0, 1],
  "Spearman's correlation": [-1, 1],
};

/** For values that are all the same an axis from zero: Plot's own would have one long tick. */
function domainOf(
  points: readonly (Point & { value: number })[],
  lines: readonly number[],
  unit: string,
): [number, number] | null {
  const all = [...points.flatMap(({ value, low = value, high = value }) => [value, low, high]), ...lines];
  const [first = 0] = all;
  if (all.some((value) => value !== first)) return null;
  const [min, max] = BOUNDS[unit] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return first === 0 ? [0, 1] : [Math.max(min, Math.min(0, 2 * first)), Math.min(max, Math.max(0, 2 * first))];
}

const WIDTH = 420;
/** Height of a label, in pixels. */
const LABEL_ROW = 14;
const HEIGHT = 190;

/** A point with its place on the axis. */
interface Placed extends Point {
  x: number;
}

/** The points that are shown, each at its place; neighbours of very many as one. */
const shownOf = (view: View, points: readonly Point[]): Placed[] =>
  binned(points.filter((point) => isShown(view, placeOf(view, point)))).map((point) => ({
    ...point,
    x: placeOf(view, point) as number,
  }));

/** So few values are marked each: a line through one of them is none. */
const DOTS_MOST = 12;

const strokeOf = ({ names }: ReturnType<typeof strokesOf>) => (names.length > 1 ? "series" : "currentColor");

/** The line of each series; a dash is not a channel of a line: each series is a mark. */
function seriesLines(points: readonly Placed[], strokes: ReturnType<typeof strokesOf>, faint: boolean) {
  const stroke = strokeOf(strokes);
  return strokes.names.map((name) =>
    lineY(
      points.filter(({ series }) => series === name),
      {
        ...{ x: "x", y: "value", stroke, strokeWidth: 1.5, strokeDasharray: faint ? "" : strokes.dashOf(name) },
        ...(faint && { strokeOpacity: 0.25, strokeWidth: 1 }),
      },
    ),
  );
}

/** A chart with its title, or null where there is nothing to draw. */
export function chart(options: ChartOptions, looking: Looking): HTMLElement | null {
  const { title, note, unit, points: all, thresholds = [], runs } = options;
  const view = looking.view();
  const points = shownOf(view, all);
  const known = points.filter((point): point is Placed & { value: number } => point.value !== null);
  if (known.length === 0) return null;
  const strokes = strokesOf(points, runs);
  const several = strokes.names.length > 1;
  const bounds = thresholds.map(({ value }) => value);
  const heights = extentOf([...bounds, ...known.map(({ value }) => value)]);
  const range = domainOf(known, bounds, unit);
  const span = extentOf(known.map(({ x }) => x));
  const banded = known.filter(({ low }) => low !== undefined);
  const smooth = view.smoothing > 0 ? shownOf(view, smoothed(all, view.smoothing)) : null;
  const titleOf = ({ series, step, value }: Point) => `${several ? `${series}\n` : ""}step ${step}: ${figureOf(value)}`;
  const drawn = plot({
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 46,
    className: "plot",
    ariaLabel: `${title} over ${view.over === "time" ? "time" : "steps"}`,
    x: placeAxis(span, view.over),
    y: { label: unit, grid: true, nice: true, ticks: 5, tickFormat: tickText, ...(range && { domain: [...range] }) },
    color: { legend: several, domain: strokes.names, range: strokes.colors },
    marks: [
      areaY(banded, { x: "x", y1: "low", y2: "high", fillOpacity: 0.15, fill: "currentColor" }),
      ...seriesLines(points, strokes, smooth !== null),
      ...(smooth === null ? [] : seriesLines(smooth, strokes, false)),
      ...(known.length > DOTS_MOST ? [] : [dot(known, { x: "x", y: "value", r: 2, fill: strokeOf(strokes) })]),
      ...thresholdMarks(thresholds, heights),
      ...ruleMarks(rulesOf(options, view, span), span, bounds.includes(heights[1]) ? LABEL_ROW : 0),
      tip(known, pointerX({ x: "x", y: "value", title: titleOf })),
    ],
  });
  const figure = dashedLegend(asImage(drawn as Element), strokes.names.map(strokes.dashOf));
  return framed(title, draggable(figure, drawn as never, looking), note);
}

interface Cell {
  step: number;
  /** The step of the next column; null of the last. */
  next: number | null;
  low: number;
  high: number;
  share: number;
}

/** For rewards that are all the same a bin has no height: it is drawn as this share of the axis. */
const FLAT_SHARE = 0.04;

function cellsOf({ edges, steps }: Spread, height: number): Cell[] {
  const flat = edges[0] === edges[1] ? (FLAT_SHARE * height) / 2 : 0;
  return steps.flatMap(({ step, counts }, column) => {
    const next = steps[column + 1]?.step ?? null;
    const all = counts.reduce((a, b) => a + b, 0);
    return counts.flatMap((count, bin) => {
      const [low, high] = [(edges[bin] as number) - flat, (edges[bin + 1] as number) + flat];
      return count === 0 ? [] : [{ step, next, low, high, share: count / all }];
    });
  });
}

/** How rewards are spread over the steps, the darker the more; null where there are none. */
export function heatMap(
  { title, changes = [], hours = new Map() }: Omit<ChartOptions, "points" | "unit" | "section">,
  spread: Spread,
  looking: Looking,
): HTMLElement | null {
  const view = looking.view();
  const { edges } = spread;
  const placed = (step: number) => placeOf(view, { step, hours: hours.get(step) });
  const steps = spread.steps.filter(({ step }) => isShown(view, placed(step)));
  const range = domainOf(
    edges.map((value) => ({ step: 0, series: "", value })),
    [],
    "reward",
  );
  const [low = 0, high = 1] = range ?? [edges[0], edges.at(-1)];
  const cells = cellsOf({ edges, steps }, high - low);
  if (cells.length === 0) return null;
  const span = extentOf(cells.map(({ step }) => placed(step) ?? step));
  // By step a column begins half a step before its own place; in time it begins there.
  const before = view.over === "step" ? 0.5 : 0;
  const endOf = ({ step, next }: Cell) =>
    next !== null ? (placed(next) ?? next) - before : (placed(step) ?? step) + before;
  const drawn = plot({
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 46,
    className: "plot",
    ariaLabel: `${title} over ${view.over === "time" ? "time" : "steps"}`,
    x: placeAxis(span, view.over),
    y: { label: "reward", ticks: 5, tickFormat: tickText, ...(range && { domain: range }) },
    opacity: { domain: [0, 1], range: [0.06, 1], type: "sqrt" },
    marks: [
      rect(cells, {
        ...{ x1: ({ step }: Cell) => (placed(step) ?? step) - before, x2: endOf },
        ...{ y1: "low", y2: "high", fill: "currentColor", fillOpacity: "share" },
        title: ({ step, low, high, share }: Cell) =>
          `step ${step}: ${Math.round(share * 100)} % ${edges[0] === edges[1] ? `at ${figureOf(edges[0])}` : `from ${figureOf(low)} to ${figureOf(high)}`}`,
      }),
      ...ruleMarks(rulesOf({ changes, hours }, view, span), span),
    ],
  });
  return framed(title, draggable(asImage(drawn as Element), drawn as never, looking));
}

/** A line without axes, for a row of a table; decorative beside the number. */
export function sparkline(values: readonly (number | null)[]): Element | string {
  if (values.filter((value) => value !== null).length < 2) return "";
  const drawn = plot({
    width: 120,
    height: 26,
    margin: 3,
    axis: null,
    className: "plot",
    marks: [
      line(
        values.map((value, step) => ({ step, value })),
        { x: "step", y: "value", stroke: "currentColor" },
      ),
    ],
  });
  const figure = asImage(drawn as Element);
  figure.setAttribute("aria-hidden", "true");
  return figure;
}
