// A drawn chart with its caption and legend: in a page, and as an SVG file by itself.
import { Html, html } from "../../scripts/build/reference/html.ts";

export interface LegendEntry {
  name: string;
  colour: string;
  /** For a line; absent: a box. */
  dash?: string;
}

interface Drawn {
  title: string;
  description?: string | undefined;
  legend: readonly LegendEntry[];
  /** The chart's own svg element, of `width` x `height` pixels. */
  svg: Html;
  width: number;
  height: number;
}

const swatch = ({ colour, dash }: LegendEntry): Html =>
  dash === undefined
    ? html`<svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" fill="${colour}"/></svg>`
    : html`<svg width="30" height="10" aria-hidden="true"><line x2="30" y1="5" y2="5" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/></svg>`;

const LINE = 20;
const CHARACTER = 7.2;
const SWATCH = 38;

/** The place of each entry of the legend: rows that are not wider than the chart. */
function rowsOf(legend: readonly LegendEntry[], width: number): { entry: LegendEntry; x: number; row: number }[] {
  let [x, row] = [12, 0];
  return legend.map((entry) => {
    const wide = SWATCH + CHARACTER * entry.name.length + 16;
    if (x > 12 && x + wide > width) [x, row] = [12, row + 1];
    const at = { entry, x, row };
    x += wide;
    return at;
  });
}

/** Title, legend and chart in one SVG, in ink on white wherever it is put. */
function standalone({ title, legend, svg, width, height }: Drawn): string {
  const placed = legend.length < 2 ? [] : rowsOf(legend, width);
  const top = 30 + LINE * (placed.length === 0 ? 0 : (placed.at(-1)?.row ?? 0) + 1);
  const entries = placed.map(({ entry: { name, colour, dash }, x, row }) => {
    const y = 30 + LINE * row + LINE / 2;
    const mark =
      dash === undefined
        ? html`<rect x="${x}" y="${y - 7}" width="14" height="14" fill="${colour}"/>`
        : html`<line x1="${x}" x2="${x + 30}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
    return html`${mark}<text x="${x + SWATCH}" y="${y + 4}">${name}</text>`;
  });
  const inner = new Html(svg.markup.replace("<svg ", `<svg y="${top}" `));
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top + height}" viewBox="0 0 ${width} ${top + height}" font-family="system-ui, sans-serif" font-size="12" color="#1b1f24" fill="currentColor" style="--plot-background: #ffffff"><title>${title}</title><rect width="100%" height="100%" fill="#ffffff"/><text x="12" y="20" font-size="14" font-weight="600">${title}</text>${entries}${inner}</svg>
`.markup;
}

/** A figure of a page; `standalone` is the same as a separate file. */
export class Figure extends Html {
  readonly title: string;
  readonly standalone: string;

  constructor(drawn: Drawn) {
    const { title, description, legend, svg } = drawn;
    const list =
      legend.length < 2
        ? null
        : html`<ul class="legend">${legend.map((entry) => html`<li>${swatch(entry)}${entry.name}</li>`)}</ul>`;
    const descriptionHtml = description && html`<p class="about">${description}</p>`;
    const frame = html`<div class="drawing" tabindex="0" role="group" aria-label="${title}">${svg}</div>`;
    super(
      html`<figure class="chart"><figcaption>${title}${descriptionHtml}</figcaption>${list}${frame}</figure>
`.markup,
    );
    this.title = title;
    this.standalone = standalone(drawn);
  }
}
