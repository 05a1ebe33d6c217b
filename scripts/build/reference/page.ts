// API pages made from the OpenAPI document: the list of routes, and one page per resource, which Swagger
// UI fills from /openapi.json. Each route's `operationId` is its anchor on /docs.
import { Html, html, inline, prose } from "./html.ts";

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
}
/** The part of the OpenAPI document that these pages show. */
export interface OpenApi {
  info: { title: string; version: string; description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
}

/** @param head additional elements of the page's head */
export function frame(title: string, nav: Html, main: Html, head: Html | false = false): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">${head}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a class="brand" href="/">Kritai</a><nav class="top" aria-label="Pages"><a href="/docs">Reference</a><a href="/docs/guides">Guides</a><a href="/docs/errors">Errors</a><a href="/docs/alarms">Alarms</a><a href="/runs">Runs</a><a href="/openapi.json">OpenAPI</a></nav></header>
<div class="columns"><aside><nav class="wide" aria-label="Contents">${nav}</nav><details class="narrow"><summary>Contents</summary><nav aria-label="Contents">${nav}</nav></details></aside>
<main id="main">${main}</main></div>
</body>
</html>
`.markup;
}

const SCOPES: readonly (readonly [scope: string, may: string])[] = [
  ["score", "use every route that scores, judges or checks"],
  ["logs", "read the key's own rows of the run log"],
  ["logs:all", "read the rows of all keys"],
  ["admin", "store specs and templates, which all keys share; replay dead letters of all keys"],
];

/** The sections of /docs before its list of routes. */
const INTRO: readonly { id: string; title: string; body: Html }[] = [
  {
    id: "authentication",
    title: "Authentication",
    body: html`<p>Send the key in one of four ways. Prefer a header, because URLs are often logged.</p>
<dl class="ways"><dt>Bearer</dt><dd><code>Authorization: Bearer &lt;key&gt;</code></dd>
<dt>Header</dt><dd><code>X-Api-Key: &lt;key&gt;</code></dd>
<dt>Basic</dt><dd>any user name, the key as the password</dd>
<dt>Path</dt><dd><code>/k/&lt;key&gt;/v1/rewards</code>, for tools that accept only a URL</dd></dl>
<p>A deployment stores only the name and SHA-256 digest of each key (<code>API_KEYS</code>). A deployment without keys accepts requests only from its own machine. Scopes limit what a key may do; the default scopes are <code>score</code> and <code>logs</code>. Without a valid key, the reply is 401 <a href="/docs/errors#unauthorized"><code>unauthorized</code></a>. Without the required scope, it is 403 <a href="/docs/errors#forbidden_scope"><code>forbidden_scope</code></a>, which names the scope.</p>
<dl class="ways">${SCOPES.map(([scope, may]) => html`<dt><code>${scope}</code></dt><dd>${may}</dd>`)}</dl>`,
  },
  {
    id: "first-call",
    title: "Before the first call",
    body: html`<p>Each resource has a page with its routes, fields and examples. Enter your key under "Authorize". "Try it out" sends an example to this server and shows the equivalent curl command. Clients: <a href="/docs/integrations">Python and every trainer</a>, <a href="/docs/integrations/typescript">TypeScript</a>.</p>`,
  },
  {
    id: "faults",
    title: "Errors",
    body: html`<p>A rejected request returns an RFC 9457 problem document. <code>errors</code> names each field, <code>retryable</code> says whether a retry can help, and <code>Retry-After</code> when to retry. <a href="/docs/errors">Every code</a> has a cause and a remedy. A rollout that could not be scored does not fail the request: its reward is <code>null</code> with an error code.</p>`,
  },
];

interface Route {
  path: string;
  method: string;
  operation: Operation;
}

const routesUnder = ({ paths }: OpenApi, tag: string): Route[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

const badge = (method: string) => html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** A path that may wrap after slashes, so that it fits on a phone. */
const breakable = (path: string) => path.split("/").map((part, i) => html`${i > 0 && new Html("/<wbr>")}${part}`);

const pageOf = (tag: string): string => `/docs/api/${tag.toLowerCase().replaceAll(" ", "-")}`;

/** The fragment of a resource's URL at which Swagger UI opens the operation. */
const partOf = (tag: string, { operationId }: Operation): string => `#/${encodeURIComponent(tag)}/${operationId}`;

const resources = ({ tags }: OpenApi): Html =>
  html`<h2>Resources</h2><ul>${tags.map(({ name }) => html`<li><a href="${pageOf(name)}">${name}</a></li>`)}</ul>`;

/** The page at /docs: authentication, errors, and every route by resource. */
function overview(document: OpenApi): string {
  const { title, version, description } = document.info;
  const begin = html`<h2>Getting started</h2><ul>${INTRO.map((part) => html`<li><a href="#${part.id}">${part.title}</a></li>`)}</ul>`;
  const listed = (tag: string) =>
    routesUnder(document, tag).map(
      ({ path, method, operation }) =>
        html`<li id="${operation.operationId}"><a href="${pageOf(tag)}${partOf(tag, operation)}">${badge(method)} <code>${breakable(path)}</code></a> ${inline(operation.summary)}</li>`,
    );
  const main = html`<h1>${title} API <small>${version}</small></h1>${prose(description)}
${INTRO.map((part) => html`<section class="operation" id="${part.id}"><h2><a href="#${part.id}">${part.title}</a></h2>${part.body}</section>`)}
${document.tags.map(({ name }) => html`<section class="operation"><h2><a href="${pageOf(name)}">${name}</a></h2><ul class="routes">${listed(name)}</ul></section>`)}`;
  return frame("Kritai API reference", html`${begin}${resources(document)}`, main);
}

/** The page of a resource, which reference.js fills with the operations of the tag. */
function resourcePage(document: OpenApi, tag: string): string {
  const items = routesUnder(document, tag).map(
    ({ path, method, operation }) =>
      html`<li><a href="${partOf(tag, operation)}">${badge(method)}<span>${breakable(path)}</span></a></li>`,
  );
  const main = html`<h1>${tag}</h1>
<noscript><p>Fields and examples need JavaScript. Without it, read <a href="/openapi.json">the OpenAPI document</a>.</p></noscript>
<div id="reference" data-tag="${tag}"></div>`;
  const head = html`
<link rel="stylesheet" href="/docs/reference.css">
<script type="module" src="/docs/reference.js"></script>`;
  return frame(`${tag} \u2013 Kritai API`, html`${resources(document)}<h2>${tag}</h2><ul>${items}</ul>`, main, head);
}

/** The files of `public/` that are made from the document. */
export function referenceFiles(document: OpenApi): Record<string, string> {
  const pages = document.tags.map(({ name }) => [`${pageOf(name).slice(1)}.html`, resourcePage(document, name)]);
  return {
    "docs.html": overview(document),
    ...Object.fromEntries(pages),
  };
}
