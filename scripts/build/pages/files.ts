// The pages of runs as static assets: their script and the reference's as bundles, page, style and the
// alarms' page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build, stop } from "esbuild";
import { REFERENCE_STYLE } from "../reference/style.ts";
import { alarmsPage } from "./alarms.ts";
import { chartTable } from "./chart-table.ts";
import { RUNS_STYLE } from "./style.ts";

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
<header><a class="brand" href="/">Kritai</a><nav class="top" aria-label="Pages"><a href="/runs">Runs</a><a href="/docs/alarms">Alarms</a><a href="/docs/guides">Guides</a><a href="/docs">Reference</a></nav></header>
<main id="main"><noscript><h1>Runs</h1><p>These pages need JavaScript to call the API with your key. The same data is available as JSON from <code>GET /v1/runs</code>, <code>/v1/runs/:run_id/steps</code> and <code>/v1/runs/:run_id/health</code> (<a href="/docs">reference</a>).</p></noscript></main>
</body>
</html>
`;

async function script(main: string, define: Record<string, string> = {}): Promise<string> {
  const entry = new URL(main, import.meta.url).pathname;
  const { outputFiles } = await build({
    entryPoints: [entry],
    define,
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

/** A file of Swagger UI's package. */
function swaggerUi(name: string): string {
  return readFileSync(
    join(dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json")), name),
    "utf8",
  );
}

/** The reference's script, with the licences of what is in it as Apache 2.0 wants. */
async function referenceScript(): Promise<string> {
  const terms = `/*!\n${swaggerUi("NOTICE")}\n${swaggerUi("LICENSE")}*/`;
  return [await script("../reference/browser/main.ts"), terms, swaggerUi("swagger-ui-es-bundle.js.LICENSE.txt")].join(
    "\n",
  );
}

/** The files of `public/` that are made here. */
export async function pageFiles(): Promise<Record<string, string>> {
  return {
    "runs.html": PAGE,
    "runs.css": RUNS_STYLE,
    "runs.js": await script("browser/main.ts", { CHART_TABLE: JSON.stringify(chartTable()) }),
    "docs/reference.js": await referenceScript(),
    "docs/reference.css": `${swaggerUi("swagger-ui.css")}${REFERENCE_STYLE}`,
    "docs/alarms.html": alarmsPage(),
  };
}
