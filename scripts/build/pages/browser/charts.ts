// Owns the charts over a run's steps: one line a measure, alarms and spec changes as marks, and the
// spread of rewards; each saved or copied as SVG.
import { areaY, line, lineY, plot, pointerX, rect, ruleX, ruleY, tip } from "@observablehq/plot";
import { el } from "./dom.ts";
import type { RewardHistogram } from "./log.ts";
import { figure as figureOf } from "./numbers.ts";
import { binned, type Point, strokesOf } from "./series.ts";

export interface ChartOptions {
  title: string;
  unit: string;
  points: readonly Point[];
  /** Horizontal lines to measure against. */
  lines?: readonly number[];
  /** Steps at which an alarm began. */
  marks?: readonly number[];
  /** Steps at which another spec came into use. */
  changes?: readonly number[];
  domain?: readonly [number, number];
  /** What a step is called: `window`, where it is one. */
  axis?: string;
}

/**
 * Plot's figure as this page takes it: rules of its style element, which the page's policy does not
 * let in, stand in runs.css; the drawing is one image with one name.
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
      () => "not allowed",
    );
    button.textContent = `${label}: ${said}`;
  };
  return button;
};

/** The drawing as a file of its own: what this page's style says of colours is written out. */
function svgText(figure: Element): string {
  const drawing = figure.matches("svg") ? figure : (figure.querySelector("svg:last-of-type") as Element);
  const style = getComputedStyle(drawing);
  return new XMLSerializer()
    .serializeToString(drawing)
    .replace(/var\((--[a-z-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim())
    .replaceAll("currentColor", style.color);
}

function framed(title: string, figure: Element): HTMLElement {
  const svg = () => svgText(figure);
  const buttons = [saving("SVG", `${title}.svg`, "image/svg+xml", svg), copying("Copy", svg)];
  return el("section", { class: "chart" }, el("h3", {}, title, ...buttons), figure as HTMLElement);
}

const changeRules = (changes: readonly number[]) =>
  ruleX(changes, { stroke: "var(--calm)", strokeDasharray: "2 3", strokeWidth: 1.5 });

/** Few steps have a tick each; between two there is none to tell. */
function stepAxis(steps: readonly number[], label: string) {
  const span = steps.reduce((a, b) => Math.max(a, b), -Infinity) - steps.reduce((a, b) => Math.min(a, b), Infinity);
  return { label, tickFormat: "d", ticks: Math.max(1, Math.min(5, span)) };
}

/** Short enough for the margin, whatever the size. */
const tickText = (value: number): string =>
  Math.abs(value) >= 10_000
    ? value.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 })
    : value.toLocaleString("en", { maximumFractionDigits: 3 });

/** What a value cannot be beyond, by what its axis says. */
const BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  share: [0, 1],
  "Spearman's correlation": [-1, 1],
};

/** Of values that are all the same an axis from zero: Plot's own would have one long tick. */
function domainOf(
  points: readonly (Point & { value: number })[],
  lines: readonly number[],
  unit: string,
): [number, number] | null {
  const all = [...points.flatMap(({ value, low = value, high = value }) => [value, low, high]), ...lines];
  const [first = 0] = all;
  if (all.some((value) => value !== first)) return null;
  const [least, most] = BOUNDS[unit] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return first === 0 ? [0, 1] : [Math.max(least, Math.min(0, 2 * first)), Math.min(most, Math.max(0, 2 * first))];
}

const WIDTH = 420;
const HEIGHT = 190;

/** A chart with its title, or null where there is nothing to draw. */
export function chart({
  title,
  unit,
  points: all,
  lines = [],
  marks = [],
  changes = [],
  domain,
  axis = "step",
}: ChartOptions): HTMLElement | null {
  const points = binned(all);
  const known = points.filter((point): point is Point & { value: number } => point.value !== null);
  if (known.length === 0) return null;
  const { names, colors, dashOf } = strokesOf(points);
  const several = names.length > 1;
  const color = several ? "series" : "currentColor";
  const range = domain ?? domainOf(known, lines, unit);
  const banded = known.filter(({ low }) => low !== undefined);
  const drawn = plot({
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 46,
    className: "plot",
    ariaLabel: `${title} over ${axis}s`,
    x: stepAxis(
      known.map(({ step }) => step),
      axis,
    ),
    y: { label: unit, grid: true, nice: true, ticks: 5, tickFormat: tickText, ...(range && { domain: [...range] }) },
    color: { legend: several, domain: names, range: colors },
    marks: [
      ruleY(lines, { stroke: "var(--warn)", strokeDasharray: "4 3" }),
      ruleX(marks, { stroke: "var(--required)", strokeOpacity: 0.5 }),
      changeRules(changes),
      areaY(banded, { x: "step", y1: "low", y2: "high", fillOpacity: 0.15, fill: "currentColor" }),
      // A dash is no channel of a line: each series is a mark.
      ...names.map((name) =>
        lineY(
          points.filter(({ series }) => series === name),
          { x: "step", y: "value", stroke: color, strokeWidth: 1.5, strokeDasharray: dashOf(name) },
        ),
      ),
      tip(
        known,
        pointerX({
          x: "step",
          y: "value",
          ...(several && { title: (point: Point) => `${point.series}\n${axis} ${point.step}: ${point.value}` }),
        }),
      ),
    ],
  });
  return framed(title, asImage(drawn as Element));
}

/** Columns of a heat map: of more steps, neighbours share one. */
const COLUMNS_MOST = 70;

interface Cell {
  from: number;
  to: number;
  low: number;
  high: number;
  share: number;
}

function cellsOf({ edges, steps }: RewardHistogram): Cell[] {
  const each = Math.ceil(steps.length / COLUMNS_MOST);
  const flat = edges[0] === edges[1] ? 0.5 : 0;
  const columns = Array.from({ length: Math.ceil(steps.length / each) }, (_, i) =>
    steps.slice(i * each, (i + 1) * each),
  );
  return columns.flatMap((some) => {
    const [from, to] = [(some[0] as { step: number }).step, (some.at(-1) as { step: number }).step + 1];
    const counts = edges.slice(1).map((_, bin) => some.reduce((sum, one) => sum + (one.counts[bin] as number), 0));
    const all = counts.reduce((a, b) => a + b, 0);
    return counts.flatMap((count, bin) => {
      const [low, high] = [(edges[bin] as number) - flat, (edges[bin + 1] as number) + flat];
      return count === 0 ? [] : [{ from, to, low, high, share: count / all }];
    });
  });
}

/** How rewards are spread over the steps, the darker the more; null where there are none. */
export function heatMap(
  title: string,
  histogram: RewardHistogram,
  changes: readonly number[],
  axis: string,
): HTMLElement | null {
  const cells = cellsOf(histogram);
  if (cells.length === 0) return null;
  const drawn = plot({
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 46,
    className: "plot",
    ariaLabel: `${title} over ${axis}s`,
    x: stepAxis(
      cells.flatMap(({ from, to }) => [from, to - 1]),
      axis,
    ),
    y: { label: "reward", ticks: 5 },
    opacity: { domain: [0, 1], range: [0.06, 1], type: "sqrt" },
    marks: [
      rect(cells, {
        // A step's cell stands around its step, as the marks do.
        ...{ x1: ({ from }: Cell) => from - 0.5, x2: ({ to }: Cell) => to - 0.5, y1: "low", y2: "high" },
        ...{ fill: "currentColor", fillOpacity: "share" },
        title: ({ from, to, low, high, share }: Cell) =>
          `${axis} ${from}${to === from + 1 ? "" : ` to ${to - 1}`}: ${Math.round(share * 100)} % from ${figureOf(low)} to ${figureOf(high)}`,
      }),
      changeRules(changes),
    ],
  });
  return framed(title, asImage(drawn as Element));
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
