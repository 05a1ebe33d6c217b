// The charts over a run's steps: one line a measure, alarms and spec changes as marks, and the spread of
// rewards; each saved or copied as SVG.
import { areaY, dot, line, lineY, plot, pointerX, rect, ruleX, ruleY, tip } from "@observablehq/plot";
import { el } from "./dom.ts";
import { draggable } from "./drag.ts";
import { dashedLegend } from "./legend.ts";
import { figure as figureOf } from "./numbers.ts";
import { binned, type Point, smoothed, strokesOf } from "./series.ts";
import type { Spread } from "./spread.ts";
import { isShown, placeOf, type View, type ViewControls } from "./view.ts";

export interface ChartOptions {
  title: string;
  unit: string;
  points: readonly Point[];
  /** A sentence below the title. */
  note?: string;
  /** Horizontal lines to measure against. */
  lines?: readonly number[];
  /** Steps at which an alarm began. */
  marks?: readonly number[];
  /** Steps at which another spec came into use. */
  changes?: readonly number[];
  domain?: readonly [number, number];
  /** When each step began, in hours since the run did. */
  hours?: ReadonlyMap<number, number>;
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
  const buttons = [saving("SVG", `${title}.svg`, "image/svg+xml", svg), copying("Copy", svg)];
  const said = note === undefined ? [] : [el("p", { class: "soft" }, note)];
  return el("section", { class: "chart" }, el("h3", {}, title, ...buttons), ...said, figure as HTMLElement);
}

const changeRules = (changes: readonly number[]) =>
  ruleX(changes, { stroke: "var(--calm)", strokeDasharray: "2 3", strokeWidth: 1.5 });

/** Few steps have a tick each; between two there is none to tell. */
function placeAxis(places: readonly number[], over: View["over"]) {
  const span = places.reduce((a, b) => Math.max(a, b), -Infinity) - places.reduce((a, b) => Math.min(a, b), Infinity);
  if (over === "time") return { label: "hours since the run began", ticks: 5 };
  return { label: "step", tickFormat: "d", ticks: Math.max(1, Math.min(5, span)) };
}

/** Places of some steps on the axis, of those that are shown. */
const placesOf = (view: View, steps: readonly number[], hours: ReadonlyMap<number, number> = new Map()): number[] =>
  steps.map((step) => placeOf(view, { step, hours: hours.get(step) })).filter((place) => isShown(view, place));

/** Short enough for the margin, whatever the size. */
const tickText = (value: number): string =>
  Math.abs(value) >= 10_000
    ? value.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 })
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
  const { title, note, unit, points: all, lines = [], marks = [], changes = [], domain, hours } = options;
  const view = looking.view();
  const points = shownOf(view, all);
  const known = points.filter((point): point is Placed & { value: number } => point.value !== null);
  if (known.length === 0) return null;
  const strokes = strokesOf(points);
  const several = strokes.names.length > 1;
  const range = domain ?? domainOf(known, lines, unit);
  const banded = known.filter(({ low }) => low !== undefined);
  const smooth = view.smoothing > 0 ? shownOf(view, smoothed(all, view.smoothing)) : null;
  const titleOf = ({ series, step, value }: Point) => `${several ? `${series}\n` : ""}step ${step}: ${figureOf(value)}`;
  const drawn = plot({
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 46,
    className: "plot",
    ariaLabel: `${title} over ${view.over === "time" ? "time" : "steps"}`,
    x: placeAxis(
      known.map(({ x }) => x),
      view.over,
    ),
    y: { label: unit, grid: true, nice: true, ticks: 5, tickFormat: tickText, ...(range && { domain: [...range] }) },
    color: { legend: several, domain: strokes.names, range: strokes.colors },
    marks: [
      ruleY(lines, { stroke: "var(--warn)", strokeDasharray: "4 3" }),
      ruleX(placesOf(view, marks, hours), { stroke: "var(--required)", strokeOpacity: 0.5 }),
      changeRules(placesOf(view, changes, hours)),
      areaY(banded, { x: "x", y1: "low", y2: "high", fillOpacity: 0.15, fill: "currentColor" }),
      ...seriesLines(points, strokes, smooth !== null),
      ...(smooth === null ? [] : seriesLines(smooth, strokes, false)),
      ...(known.length > DOTS_MOST ? [] : [dot(known, { x: "x", y: "value", r: 2, fill: strokeOf(strokes) })]),
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
  { title, changes = [], hours = new Map() }: Omit<ChartOptions, "points" | "unit">,
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
    x: placeAxis(
      cells.map(({ step }) => step),
      view.over,
    ),
    y: { label: "reward", ticks: 5, tickFormat: tickText, ...(range && { domain: range }) },
    opacity: { domain: [0, 1], range: [0.06, 1], type: "sqrt" },
    marks: [
      rect(cells, {
        ...{ x1: ({ step }: Cell) => (placed(step) ?? step) - before, x2: endOf },
        ...{ y1: "low", y2: "high", fill: "currentColor", fillOpacity: "share" },
        title: ({ step, low, high, share }: Cell) =>
          `step ${step}: ${Math.round(share * 100)} % ${edges[0] === edges[1] ? `at ${figureOf(edges[0])}` : `from ${figureOf(low)} to ${figureOf(high)}`}`,
      }),
      changeRules(placesOf(view, changes, hours)),
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
