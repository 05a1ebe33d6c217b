// The frame of a report: one HTML page with its style inline, from facts and sections.
import { Html, html, inline, prose } from "../../scripts/build/reference/html.ts";
import { STYLE } from "./style.ts";

export interface ReportSection {
  title: string;
  /** Plain text with `code` spans; blank lines part paragraphs. */
  lead?: string;
  /** Charts, tables, `html` pieces, in order. */
  content?: readonly (Html | Table)[];
}

export interface Report {
  title: string;
  subtitle: string;
  /** The result, in one sentence; plain text with `code` spans. */
  headline: string;
  /** Name and value pairs shown at the end: what ran, where, when, and hashes. */
  facts: readonly (readonly [string, string])[];
  sections: readonly ReportSection[];
}

export type Cell = string | number | null | Html;

export interface Table {
  caption: string;
  columns: readonly string[];
  /** One cell a column; the first names the row. Numbers are set right, null is shown as a dash. */
  rows: readonly (readonly Cell[])[];
}

const DIGITS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Below it zeros after the point say less than an exponent. */
const TINY = 1e-4;

/**
 * A number with four significant digits, from 1,000 on whole and grouped, tiny ones with an
 * exponent; null, NaN and infinities are a dash.
 */
export function shownNumber(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value !== 0 && Math.abs(value) < TINY) return Number(value.toPrecision(4)).toExponential();
  return (Math.abs(value) >= 1000 ? WHOLE : DIGITS).format(value);
}

/** An interval, such as `[11.9, 12.7]`. No-break spaces keep it on one line of a narrow column. */
export const intervalText = ([low, high]: readonly [number, number]): string =>
  `[${shownNumber(low)},\u00a0${shownNumber(high)}]`;

/** Characters of a text whose column is not made narrower than a few words. */
const LONG_FROM = 80;

function cellHtml(cell: Cell, isName: boolean): Html {
  const isNumber = typeof cell === "number" || cell === null;
  const shown = isNumber ? shownNumber(cell) : cell;
  if (isName) return html`<th scope="row">${shown}</th>`;
  if (isNumber) return html`<td class="number">${shown}</td>`;
  return typeof cell === "string" && cell.length > LONG_FROM
    ? html`<td class="long">${shown}</td>`
    : html`<td>${shown}</td>`;
}

/**
 * A table that a screen reader can walk: caption, column and row headings. Wide ones scroll inside
 * their own frame.
 */
export function tableHtml({ caption, columns, rows }: Table): Html {
  const head = columns.map((name) => html`<th scope="col">${name}</th>`);
  const body = rows.map((row) => html`<tr>${row.map((cell, i) => cellHtml(cell, i === 0))}</tr>\n`);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>${body}</tbody></table></div>
`;
}

const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

function sectionHtml({ title, lead, content = [] }: ReportSection): Html {
  const id = anchorOf(title);
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${prose(lead)}
${content.map((part) => (part instanceof Html ? part : tableHtml(part)))}
</section>
`;
}

/**
 * The page as a string: no script, no request, light and dark, for screen and paper. The first section should
 * begin with one table and one chart, because the facts come last.
 */
export function reportPage({ title, subtitle, headline, facts, sections }: Report): string {
  const links = sections.map((section) => html`<li><a href="#${anchorOf(section.title)}">${section.title}</a></li>`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header><h1>${title}</h1><p class="headline">${inline(headline)}</p><p class="subtitle">${subtitle}</p></header>
<nav aria-label="Contents"><ul>${links}<li><a href="#about-this-run">About this run</a></li></ul></nav>
<main>
${sections.map(sectionHtml)}
<section aria-labelledby="about-this-run"><h2 id="about-this-run">About this run</h2>
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
</section>
</main>
</body>
</html>
`.markup;
}
