// Owns the pages of runs as static assets: their script and the reference's as bundles, page, style
// and the alarms' documentation.
import { readFileSync } from "node:fs";
import { build, stop } from "esbuild";
import { ALARMS } from "../../../src/core/health/table.ts";
import { type Html, html, inline } from "../../lab/report/html.ts";
import { frame } from "../reference/page.ts";
import { RUNS_STYLE } from "./style.ts";

const root = new URL("../../../", import.meta.url);

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M1 13 6 6l4 4 5-8' fill='none' stroke='%230b5cad' stroke-width='2'/%3E%3C/svg%3E">
<title>Runs \u2013 Kritai</title>
<link rel="stylesheet" href="/docs/style.css">
<link rel="stylesheet" href="/runs.css">
<script type="module" src="/runs.js"></script>
</head>
<body class="runs">
<a class="skip" href="#main">Skip to content</a>
<header><a class="brand" href="/runs">Kritai</a><nav class="top" aria-label="Pages"><a href="/runs">Runs</a><a href="/docs/alarms">Alarms</a><a href="/docs">Reference</a></nav></header>
<main id="main"><noscript><h1>Runs</h1><p>These pages ask the API with your key, which needs a script. Without one, <code>GET /v1/runs</code>, <code>/v1/runs/:run_id/steps</code> and <code>/v1/runs/:run_id/health</code> give the same as JSON: <a href="/docs">reference</a>.</p></noscript></main>
</body>
</html>
`;

async function script(main: string): Promise<string> {
  const entry = new URL(main, import.meta.url).pathname;
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "eof",
    logLevel: "error",
  });
  await stop();
  return (outputFiles[0] as { text: string }).text;
}

interface AlarmEntry {
  name: string;
  rule: string;
  clear: string;
  advice: string;
}

/** The rows of docs/alarms.md. @throws Error where an alarm has no row, or a row no alarm */
function alarmEntries(): AlarmEntry[] {
  const text = readFileSync(new URL("docs/alarms.md", root), "utf8");
  const rows = text.split("\n").flatMap((line): AlarmEntry[] => {
    const [, name, rule, clear, advice] = /^\| `(\w+)` \| (.*?) \| (.*?) \| (.*) \|$/.exec(line) ?? [];
    return advice === undefined ? [] : [{ name, rule, clear, advice } as AlarmEntry];
  });
  const told = rows.map(({ name }) => name).sort();
  const known = ALARMS.map(({ name }) => name).sort();
  if (told.join() !== known.join()) throw new Error(`docs/alarms.md has rows for ${told}; the alarms are ${known}`);
  return rows;
}

/** `[text](page.md#part)` as its text: those pages are in the repository only. */
const plain = (text: string): Html[] => inline(text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"));

function alarmsPage(): string {
  const entries = alarmEntries();
  const nav = html`<h2>Alarms</h2><ul>${entries.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>`;
  const main = html`<h1>Alarms</h1><p>Rules over the last steps of a run: <code>GET /v1/runs/:run_id/health</code>, and the page of a run.</p>${entries.map(
    ({ name, rule, clear, advice }) =>
      html`<section class="operation" id="${name}"><h3><a href="#${name}"><code>${name}</code></a></h3>
<dl><dt>Rule</dt><dd>${plain(rule)}</dd><dt>Ends at</dt><dd>${plain(clear)}</dd><dt>Look at</dt><dd>${plain(advice)}</dd></dl></section>`,
  )}`;
  return frame("Kritai alarms", nav, main);
}

/** The files of `public/` that are made here. */
export async function pageFiles(): Promise<Record<string, string>> {
  return {
    "runs.html": PAGE,
    "runs.css": RUNS_STYLE,
    "runs.js": await script("browser/main.ts"),
    "docs/search.js": await script("../reference/browser/main.ts"),
    "docs/alarms.html": alarmsPage(),
  };
}
