// Owns the charts over a run's steps: one line a measure, alarms as marks, saved as SVG.
import { areaY, line, lineY, plot, pointerX, ruleX, ruleY, tip } from "@observablehq/plot";
import { el } from "./dom.ts";

export interface Point {
  step: number;
  value: number | null;
  series: string;
  low?: number;
  high?: number;
}

export interface ChartOptions {
  title: string;
  unit: string;
  points: readonly Point[];
  /** Horizontal lines to measure against. */
  lines?: readonly number[];
  /** Steps at which an alarm began. */
  marks?: readonly number[];
  domain?: readonly [number, number];
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

const WIDTH = 420;
const HEIGHT = 190;

/** A chart with its title, or null where there is nothing to draw. */
export function chart({ title, unit, points, lines = [], marks = [], domain }: ChartOptions): HTMLElement | null {
  const known = points.filter((point): point is Point & { value: number } => point.value !== null);
  if (known.length === 0) return null;
  const several = new Set(points.map(({ series }) => series)).size > 1;
  const color = several ? "series" : "currentColor";
  const banded = known.filter(({ low }) => low !== undefined);
  const drawn = plot({
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 46,
    className: "plot",
    ariaLabel: `${title} over steps`,
    x: { label: "step", tickFormat: "d", ticks: 5 },
    y: { label: unit, grid: true, nice: true, ticks: 5, ...(domain !== undefined && { domain: [...domain] }) },
    color: { legend: several, scheme: "Observable10" },
    marks: [
      ruleY(lines, { stroke: "var(--warn)", strokeDasharray: "4 3" }),
      ruleX(marks, { stroke: "var(--required)", strokeOpacity: 0.5 }),
      areaY(banded, { x: "step", y1: "low", y2: "high", fillOpacity: 0.15, fill: "currentColor" }),
      lineY(points, { x: "step", y: "value", stroke: color, strokeWidth: 1.5 }),
      tip(
        known,
        pointerX({
          x: "step",
          y: "value",
          ...(several && { title: (point: Point) => `${point.series}\nstep ${point.step}: ${point.value}` }),
        }),
      ),
    ],
  });
  const figure = asImage(drawn as Element);
  const svg = () =>
    new XMLSerializer().serializeToString(
      figure.matches("svg") ? figure : (figure.querySelector("svg:last-of-type") as Element),
    );
  const save = saving("SVG", `${title}.svg`, "image/svg+xml", svg);
  return el("section", { class: "chart" }, el("h3", {}, title, save), figure as HTMLElement);
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
