// Owns docs/ as pages below /docs: what of it is served, where its links lead, and the index that
// the search of every page asks.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { type Html, html } from "../reference/html.ts";
import { frame, type OpenApi, routesOf } from "../reference/page.ts";
import { inline, type MarkdownPage, markdownPage, plain, type Section } from "./markdown.ts";

const DOCS = new URL("../../../docs/", import.meta.url).pathname;

/** Of what is in docs/ itself what its readers run, send and read; not how the code is kept. */
const NOT_SERVED = ["architecture.md", "invariants.md"];
/** Pages that the build makes of the code, with parts of theirs. */
const MADE = ["errors.md", "alarms.md"];
const FOLDERS: readonly (readonly [folder: string, title: string])[] = [
  ["guides", "Guides"],
  ["", "Reference"],
  ["integrations", "Your tool"],
];

/** A page of docs/: its file there, and its address without the part. */
interface Source {
  file: string;
  folder: string;
  href: string;
}

/** docs/README.md is the overview of the guides, another README that of its folder. */
function hrefOf(file: string): string {
  if (file === "README.md") return "/docs/guides";
  return `/docs/${file.replace(/\/README\.md$|\.md$/, "")}`;
}

function sources(): Source[] {
  return FOLDERS.flatMap(([folder]) =>
    readdirSync(join(DOCS, folder))
      .filter((name) => name.endsWith(".md") && !NOT_SERVED.includes(name))
      .sort()
      // The overview stands with the guides.
      .map((name) => ({ file: join(folder, name), folder: join(folder, name) === "README.md" ? "guides" : folder }))
      .map((source) => ({ ...source, href: hrefOf(source.file) })),
  );
}

/** Links between served pages lead to their addresses; what is in the repository alone, nowhere. */
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
    const text = readFileSync(join(DOCS, source.file), "utf8");
    return { ...source, page: markdownPage(text, resolving(source.file, served)) };
  });
}

function sectionHtml({ slug, heading, level, body }: Section): Html {
  if (slug === "") return html`${body}`;
  const head = html`<a href="#${slug}">${inline(plain(heading), () => null)}</a>`;
  return html`<section class="operation" id="${slug}">${level === 2 ? html`<h2>${head}</h2>` : html`<h3>${head}</h3>`}${body}</section>`;
}

function contents(all: readonly Guide[], shown: Guide): Html {
  const here = shown.page.sections.filter(({ slug, level }) => slug !== "" && level === 2);
  const item = ({ href, page }: Guide) =>
    html`<li><a href="${href}">${page.title}</a>${
      href === shown.href &&
      here.length > 0 &&
      html`<ul>${here.map(({ slug, heading }) => html`<li><a href="#${slug}">${plain(heading)}</a></li>`)}</ul>`
    }</li>`;
  return html`${FOLDERS.map(
    ([folder, title]) => html`<h2>${title}</h2><ul>${all.filter((guide) => guide.folder === folder).map(item)}</ul>`,
  )}`;
}

/** Title, where it stands, its address and its words: what the search of every page looks through. */
type Entry = readonly [title: string, about: string, href: string, words: string];

/** Each word once: the search asks whether it is there. */
const wordsOf = (text: string): string => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [])].join(" ");

const entriesOf = ({ href, page }: Guide): Entry[] =>
  page.sections.map(({ slug, heading, text }) => {
    const title = slug === "" ? page.title : plain(heading);
    return [title, slug === "" ? "" : page.title, slug === "" ? href : `${href}#${slug}`, wordsOf(`${title} ${text}`)];
  });

const routeEntries = (document: OpenApi): Entry[] =>
  routesOf(document).map(({ path, method, operation: { operationId, summary, description = "" } }) => [
    ...([summary, `${method} ${path}`, `/docs#${operationId}`] as const),
    wordsOf(`${summary} ${method} ${path} ${operationId} ${description}`),
  ]);

/** What docs/alarms.md says besides its table, which is made of the alarms themselves. */
export function alarmsBesides(): Html {
  const found = guides().find(({ file }) => file === "alarms.md");
  return html`${found?.page.sections.filter(({ slug }) => slug !== "").map(sectionHtml)}`;
}

/** The files of `public/` that are made of docs/. */
export function guideFiles(document: OpenApi): Record<string, string> {
  const all = guides();
  const shown = all.filter(({ file }) => !MADE.includes(file));
  const pages = shown.map((guide): [string, string] => {
    const { title, sections } = guide.page;
    const main = html`<article class="guide"><h1>${title}</h1>${sections.map(sectionHtml)}</article>`;
    return [`${guide.href.slice(1)}.html`, frame(`${title} \u2013 Kritai`, contents(all, guide), main)];
  });
  const index = [...all.flatMap(entriesOf), ...routeEntries(document)];
  return { ...Object.fromEntries(pages), "docs/index.js": `export default ${JSON.stringify(index)};\n` };
}
