// Renders docs/ as pages under /docs: selects the files to serve and resolves their links.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { REQUEST_ERRORS } from "../../../src/core/faults/errors.ts";
import { type Html, html } from "../reference/html.ts";
import { frame } from "../reference/page.ts";
import { systemsPage } from "../systems/rows.ts";
import { errorsPage } from "./errors.ts";
import { type MarkdownPage, markdownPage, type Section } from "./markdown.ts";

const DOCS = new URL("../../../docs/", import.meta.url).pathname;

/**
 * Pages of docs/ for developers of Kritai, which are not served.
 */
const NOT_SERVED = ["architecture.md", "invariants.md"];
/** Pages generated from JSON lines. */
const ROWS: Readonly<Record<string, () => string>> = { "systems.jsonl": systemsPage, "errors.jsonl": errorsPage };
/** A page that the build generates from the code, together with parts of this file. */
const MADE = "alarms.md";
const FOLDERS: readonly (readonly [folder: string, title: string])[] = [
  ["guides", "Guides"],
  ["", "Reference"],
  ["integrations", "Your tool"],
];

/** A page of docs/: its file, and its URL without a fragment. */
interface Source {
  file: string;
  folder: string;
  href: string;
}

/** docs/README.md is the overview of the guides; any other README is the overview of its folder. */
function hrefOf(file: string): string {
  if (file === "README.md") return "/docs/guides";
  return `/docs/${file.replace(/\/README\.md$|\.(md|jsonl)$/, "")}`;
}

function sources(): Source[] {
  return FOLDERS.flatMap(([folder]) =>
    readdirSync(join(DOCS, folder))
      .filter((name) => (name.endsWith(".md") && !NOT_SERVED.includes(name)) || name in ROWS)
      .sort()
      // The overview is listed with the guides.
      .map((name) => ({ file: join(folder, name), folder: join(folder, name) === "README.md" ? "guides" : folder }))
      .map((source) => ({ ...source, href: hrefOf(source.file) })),
  );
}

/** Resolves links between served pages. Links to other files of the repository become plain text. */
const resolving =
  (file: string, served: ReadonlyMap<string, string>) =>
  (target: string): string | null => {
    if (/^(?:https?:|mailto:|\/|#)/.test(target)) return target;
    const [path = "", part] = target.split("#");
    const href = served.get(normalize(join(dirname(file), path)));
    return href === undefined ? null : `${href}${part === undefined ? "" : `#${part}`}`;
  };

interface Guide extends Source {
  page: MarkdownPage;
}

function guides(): Guide[] {
  const all = sources();
  const served = new Map(all.map(({ file, href }) => [file, href]));
  return all.map((source) => {
    const text = ROWS[source.file]?.() ?? readFileSync(join(DOCS, source.file), "utf8");
    return { ...source, page: markdownPage(text, resolving(source.file, served)) };
  });
}

/** Status, title and retry advice for the section of a code that rejects a whole request. */
function aboutCode(code: string): Html | false {
  if (!(code in REQUEST_ERRORS)) return false;
  const { status, title, retryable } = REQUEST_ERRORS[code as keyof typeof REQUEST_ERRORS];
  return html`<p><span class="status">${status}</span> ${title} · ${retryable ? "a retry can help" : "a retry cannot help"}</p>`;
}

function sectionHtml({ slug, heading, level, body }: Section, note: Html | false = false): Html {
  if (slug === "") return html`${body}`;
  const head = html`<a href="#${slug}">${heading}</a>`;
  return html`<section class="operation" id="${slug}">${level === 2 ? html`<h2>${head}</h2>` : html`<h3>${head}</h3>`}${note}${body}</section>`;
}

function contents(all: readonly Guide[], shown: Guide): Html {
  const here = shown.page.sections.filter(({ slug, level }) => slug !== "" && level === 2);
  const item = ({ href, page }: Guide) =>
    html`<li><a href="${href}">${page.title}</a>${
      href === shown.href &&
      here.length > 0 &&
      html`<ul>${here.map(({ slug, heading }) => html`<li><a href="#${slug}">${heading}</a></li>`)}</ul>`
    }</li>`;
  return html`${FOLDERS.map(
    ([folder, title]) => html`<h2>${title}</h2><ul>${all.filter((guide) => guide.folder === folder).map(item)}</ul>`,
  )}`;
}

/** The text of docs/alarms.md without its table, which is generated from the alarms. */
export function alarmsBesides(): Html {
  const found = guides().find(({ file }) => file === MADE);
  return html`${found?.page.sections.filter(({ slug }) => slug !== "").map((section) => sectionHtml(section))}`;
}

/** The files of `public/` that are made from docs/. */
export function guideFiles(): Record<string, string> {
  const all = guides();
  const shown = all.filter(({ file }) => file !== MADE);
  const pages = shown.map((guide): [string, string] => {
    const { title, sections } = guide.page;
    const noteOf = ({ slug }: Section) => guide.file === "errors.jsonl" && aboutCode(slug);
    const renderedSections = sections.map((section) => sectionHtml(section, noteOf(section)));
    const main = html`<article class="guide"><h1>${title}</h1>${renderedSections}</article>`;
    return [`${guide.href.slice(1)}.html`, frame(`${title} \u2013 Kritai`, contents(all, guide), main)];
  });
  return Object.fromEntries(pages);
}
