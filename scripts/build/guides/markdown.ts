// Owns Markdown as HTML: what docs/ uses of it, and no more. Texts are escaped; markup in them is
// text.
import { type Html, html } from "../reference/html.ts";

/** A page in sections: what stands before the first heading below its title, then one a heading. */
export interface Section {
  /** As GitHub makes it; empty: of the page's beginning. */
  slug: string;
  heading: string;
  level: number;
  body: Html[];
  /** Its words without markup. */
  text: string;
}

export interface MarkdownPage {
  title: string;
  sections: Section[];
}

/** Where a link of the page leads; null: to nothing that is served. */
export type Resolve = (target: string) => string | null;

/** Small letters, signs left out, blanks as hyphens. */
export const slugOf = (heading: string): string =>
  plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** Without links, stars and backticks. */
export const plain = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/`+([^`]*)`+/g, "$1")
    .replaceAll("**", "");

const INLINE =
  /(?<ticks>`+)(?<code>.+?)\k<ticks>(?!`)|\[(?<label>(?:[^[\]`]|`[^`]*`)*)\]\((?<target>[^)\s]*)\)|\*\*(?<bold>.+?)\*\*|(?<![\w*])\*(?<em>[^*\s][^*]*)\*(?![\w*])/gu;

/** A line's text with its code, links, bold and slanted words. */
export function inline(text: string, resolve: Resolve): Html[] {
  const parts: Html[] = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    const { code, label, target, bold, em } = found.groups as Record<string, string | undefined>;
    parts.push(html`${text.slice(from, found.index)}`);
    from = found.index + found[0].length;
    if (code !== undefined) parts.push(html`<code>${code.trim()}</code>`);
    else if (bold !== undefined) parts.push(html`<b>${inline(bold, resolve)}</b>`);
    else if (em !== undefined) parts.push(html`<i>${inline(em, resolve)}</i>`);
    else parts.push(linked(inline(label ?? "", resolve), resolve(target ?? "")));
  }
  parts.push(html`${text.slice(from)}`);
  return parts;
}

const linked = (label: Html[], href: string | null): Html =>
  href === null ? html`${label}` : html`<a href="${href}">${label}</a>`;

/** A row's cells; a stroke behind a backslash is none between two. */
const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

function tableOf([head = "", , ...rows]: readonly string[], resolve: Resolve): Html {
  const titles = cellsOf(head);
  const titled = titles.some((title) => title !== "");
  const body = rows.map((row) => html`<tr>${cellsOf(row).map((cell) => html`<td>${inline(cell, resolve)}</td>`)}</tr>`);
  return html`<div class="scroll" tabindex="0"><table>${
    titled &&
    html`<thead><tr>${titles.map((title) => html`<th scope="col">${inline(title, resolve)}</th>`)}</tr></thead>`
  }<tbody>${body}</tbody></table></div>`;
}

const ITEM = /^(?<indent>\s*)(?:(?<bullet>[-*])|(?<number>\d+)\.) (?<text>.*)$/;

/** Items of one list; what is indented below one belongs to it. */
function listOf(lines: readonly string[], resolve: Resolve): Html {
  const items: string[][] = [];
  const margin = /^\s*/.exec(lines[0] as string)?.[0].length ?? 0;
  for (const line of lines) {
    const item = ITEM.exec(line)?.groups;
    if (item !== undefined && (item.indent as string).length === margin) items.push([item.text as string]);
    else items.at(-1)?.push(line.slice(Math.min(margin + 2, line.search(/\S|$/))));
  }
  const told = items.map(([first = "", ...below]) => html`<li>${inline(first, resolve)}${blocks(below, resolve)}</li>`);
  return /^\s*\d/.test(lines[0] as string) ? html`<ol>${told}</ol>` : html`<ul>${told}</ul>`;
}

/** Lines from `at` on, as long as they are of a kind. */
function run(lines: readonly string[], at: number, fits: (line: string) => boolean): string[] {
  const end = lines.findIndex((line, i) => i > at && !fits(line));
  return lines.slice(at, end === -1 ? lines.length : end);
}

const FENCE = /^\s*```/;
const isBlank = (line: string) => line.trim() === "";
const begins = (line: string) => FENCE.test(line) || ITEM.test(line) || /^\s*[|>]/.test(line);

/** The blocks of some lines without headings. */
function blocks(lines: readonly string[], resolve: Resolve): Html[] {
  const made: Html[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    let some = [line];
    if (FENCE.test(line)) {
      const end = lines.findIndex((other, i) => i > at && FENCE.test(other));
      some = lines.slice(at, end === -1 ? lines.length : end + 1);
      const margin = line.search(/\S/);
      const code = some
        .slice(1, end === -1 ? undefined : -1)
        .map((text) => text.slice(Math.min(margin, text.search(/\S|$/))));
      made.push(html`<pre tabindex="0"><code>${code.join("\n")}</code></pre>`);
    } else if (/^\s*\|/.test(line)) {
      some = run(lines, at, (other) => /^\s*\|/.test(other));
      made.push(tableOf(some, resolve));
    } else if (/^\s*>/.test(line)) {
      some = run(lines, at, (other) => /^\s*>/.test(other));
      made.push(
        html`<blockquote>${blocks(
          some.map((other) => other.replace(/^\s*> ?/, "")),
          resolve,
        )}</blockquote>`,
      );
    } else if (ITEM.test(line)) {
      some = run(lines, at, (other) => ITEM.test(other) || /^\s{2,}\S/.test(other));
      made.push(listOf(some, resolve));
    } else if (!isBlank(line)) {
      some = run(lines, at, (other) => !isBlank(other) && !begins(other));
      made.push(html`<p>${inline(some.map((other) => other.trim()).join(" "), resolve)}</p>`);
    }
    at += some.length;
  }
  return made;
}

/** The whole page. @throws Error where it has no title */
export function markdownPage(text: string, resolve: Resolve): MarkdownPage {
  const heads: { heading: string; level: number; lines: string[] }[] = [{ heading: "", level: 1, lines: [] }];
  let fenced = false;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) fenced = !fenced;
    const head = fenced ? null : /^(#+) (.+)$/.exec(line);
    if (head === null) heads.at(-1)?.lines.push(line);
    else heads.push({ heading: head[2] as string, level: (head[1] as string).length, lines: [] });
  }
  const [before, title, ...rest] = heads;
  if (title === undefined || title.level !== 1 || before?.lines.some((line) => !isBlank(line))) {
    throw new Error(`a page begins with "# title", not with ${JSON.stringify(text.slice(0, 40))}`);
  }
  const sections = [{ ...title, heading: "" }, ...rest].map(
    ({ heading, level, lines }): Section => ({
      ...{ slug: slugOf(heading), heading, level, body: blocks(lines, resolve) },
      text: plain(lines.filter((line) => !FENCE.test(line)).join("\n")),
    }),
  );
  return { title: plain(title.heading), sections };
}
