// Owns the reference pages: the routes and the error codes of the OpenAPI document as HTML that
// needs no script and no network.
import { CORRECT, WRONG } from "../../../src/api/tools/shared/page.ts";
import { Html, html, inline, prose } from "./html.ts";
import { INTRO } from "./intro.ts";
import { type Components, type Schema, schemaHtml, typeLabel } from "./schema.ts";
import { type Call, snippets } from "./snippets.ts";
import { tabs } from "./tabs.ts";

interface Media {
  schema?: Schema;
  example?: unknown;
  /** By their titles; the first is what the operation is called with. */
  examples?: Record<string, { value: unknown }>;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
  description?: string;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
  /** Empty: no key is needed. */
  security?: unknown[];
  /** What the key must be allowed. */
  "x-scope"?: string;
}
export interface ErrorEntry {
  kind: string;
  code: string;
  status: number | null;
  title: string;
  retryable: boolean | null;
  cause: string;
  remedy: string;
}
/** The part of the OpenAPI document that is shown. */
export interface OpenApi {
  info: { title: string; version: string; description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Components };
  "x-errors": ErrorEntry[];
}

interface Route {
  path: string;
  method: string;
  operation: Operation;
}

/** @param beside links that the search finds besides the page's own sections */
export function frame(title: string, nav: Html, main: Html, beside: Html | false = false): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
<script type="module" src="/docs/search.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a class="brand" href="/">Kritai</a><nav class="top" aria-label="Pages"><a href="/docs">Reference</a><a href="/docs/guides">Guides</a><a href="/docs/errors">Errors</a><a href="/docs/alarms">Alarms</a><a href="/runs">Runs</a><a href="/openapi.json">OpenAPI</a></nav><form id="search" role="search" hidden><input type="search" aria-label="Search routes, fields, codes and guides" placeholder="Search (press /)" autocomplete="off" spellcheck="false"><output class="unseen"></output><ul aria-label="Found" hidden></ul></form></header>
<div class="columns"><aside><nav class="wide" aria-label="Contents">${nav}</nav><details class="narrow"><summary>Contents</summary><nav aria-label="Contents">${nav}</nav></details></aside>
<main id="main">${main}</main></div>${
    beside !== false &&
    html`
<div id="beside" hidden>${beside}</div>`
  }
</body>
</html>
`.markup;
}

/** Every route of the document. */
export function routesOf(document: OpenApi): Route[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

const badge = (method: string) => html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** A path that may wrap after its slashes, so that it fits a phone. */
const breakable = (path: string) => path.split("/").map((part, i) => html`${i > 0 && new Html("/<wbr>")}${part}`);

function example(title: string, value: unknown): Html | false {
  if (value === undefined) return false;
  return html`<details class="example" open><summary>${title}</summary><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`;
}

function parameterList(parameters: readonly Parameter[]): Html | false {
  if (parameters.length === 0) return false;
  const rows = parameters.map(
    ({ name, in: place, required, schema, description }) =>
      html`<li><code class="name">${name}</code> <span class="type">${typeLabel(schema)} in ${place}</span>${
        required === true && html` <span class="required">required</span>`
      }${(description ?? schema.description) !== undefined && html`<div class="about">${inline(description ?? schema.description ?? "")}</div>`}</li>`,
  );
  return html`<h4>Parameters</h4><ul class="fields">${rows}</ul>`;
}

function bodies(content: Record<string, Media> | undefined, components: Components, shown = true): Html[] {
  return Object.entries(content ?? {}).map(
    ([type, media]) =>
      html`<details class="body"><summary><code>${type}</code></summary>${
        media.schema !== undefined && schemaHtml(media.schema, components)
      }</details>${shown && example("Example", media.example)}${Object.entries(media.examples ?? {})
        .slice(1)
        .map(([title, { value }]) => example(title, value))}`,
  );
}

const isJson = (type: string): boolean => type.endsWith("json");

const firstExample = ({ example, examples = {} }: Media = {}): unknown => example ?? Object.values(examples)[0]?.value;

const written = (text: string): string => JSON.stringify(text).slice(1, -1);

/** An example with another answer to the same problem. */
const answeredElse = (example: unknown): unknown =>
  JSON.parse(JSON.stringify(example).replaceAll(written(CORRECT), written(WRONG)));

/**
 * How the operation is called, by its own example. A sample that is gathered comes with another one
 * of its group: alone it has no reward.
 */
function callOf({ path, method, operation }: Route): Call {
  const { operationId, parameters = [], requestBody, responses: replies, security } = operation;
  const needed = parameters.filter((one) => one.in === "query" && one.required === true);
  const types = Object.keys(replies["200"]?.content ?? {});
  const gathers = parameters.some(({ name }) => name === "group_window_ms");
  const body = requestBody && firstExample(Object.values(requestBody.content)[0]);
  const values = needed.map(
    ({ name, schema }) => [name, String(schema.enum?.[0] ?? schema.default ?? schema.examples?.[0] ?? 1)] as const,
  );
  return {
    ...{ operationId, method, path, open: security?.length === 0 },
    query: gathers ? [...values, ["group_size", 2]] : values,
    ...(body !== undefined && { body }),
    ...(gathers && { other: answeredElse(body) }),
    reply: types.length === 0 || types.some(isJson) ? "json" : types[0] === "application/x-ndjson" ? "lines" : "text",
  };
}

function needs({ security, "x-scope": scope }: Operation): Html {
  if (security?.length === 0) return html`<p class="note">Needs no key.</p>`;
  return html`<p class="note">Needs a key${scope !== undefined && html` with the scope <code>${scope}</code>`}: <a href="#authentication">authentication</a>.</p>`;
}

function responses(operation: Operation, components: Components): Html {
  const all = Object.entries(operation.responses);
  const fine = all.filter(([status]) => status.startsWith("2"));
  const faults = all.filter(([status]) => !status.startsWith("2"));
  return html`${fine.map(
    ([status, reply]) =>
      html`<h4>Reply <span class="status">${status}</span></h4><p>${reply.description}</p>${bodies(reply.content, components)}`,
  )}${
    faults.length > 0 &&
    html`<details class="faults"><summary>Faults: ${faults.map(([status]) => status).join(", ")}</summary><ul>${faults.map(
      ([status, { description }]) => html`<li><span class="status">${status}</span> ${inline(description)}</li>`,
    )}</ul></details>`
  }`;
}

function operationHtml(route: Route, components: Components): Html {
  const { path, method, operation } = route;
  const { requestBody } = operation;
  return html`<section class="operation" id="${operation.operationId}">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="route">${badge(method)} <code>${breakable(path)}</code></p>
${needs(operation)}
${prose(operation.description)}${tabs(operation.operationId, snippets(callOf(route)))}${parameterList(operation.parameters ?? [])}
${requestBody !== undefined && html`<h4>Request</h4>${bodies(requestBody.content, components, false)}`}
${responses(operation, components)}
</section>`;
}

/** Every operation as it is called by its own example. */
export const callsOf = (document: OpenApi): Call[] => routesOf(document).map(callOf);

/** The API reference. */
export function referencePage(document: OpenApi): string {
  const routes = routesOf(document);
  const of = (tag: string) => routes.filter((route) => route.operation.tags.includes(tag));
  const begin = html`<h2>Begin</h2><ul>${INTRO.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
  const nav = html`${begin}${document.tags.map(
    ({ name }) =>
      html`<h2>${name}</h2><ul>${of(name).map(
        ({ path, method, operation }) =>
          html`<li><a href="#${operation.operationId}">${badge(method)}<span>${breakable(path)}</span></a></li>`,
      )}</ul>`,
  )}`;
  const main = html`<h1>${document.info.title} API <small>${document.info.version}</small></h1>${prose(document.info.description)}
${INTRO.map(({ id, title, body }) => html`<section class="operation" id="${id}"><h2><a href="#${id}">${title}</a></h2>${body}</section>`)}
${document.tags.map(({ name }) => html`<h2>${name}</h2>${of(name).map((r) => operationHtml(r, document.components.schemas))}`)}`;
  const codes = document["x-errors"].map(
    ({ code, title, cause }) => html`<a href="/docs/errors#${code}" title="${title || cause.slice(0, 90)}">${code}</a>`,
  );
  return frame("Kritai API reference", nav, main, html`${codes}`);
}

const KINDS: Record<string, string> = {
  request: "Faults of a whole request",
  item: "Codes inside a reply",
  warning: "Warnings inside a reply",
};

function errorHtml({ code, status, title, retryable, cause, remedy }: ErrorEntry): Html {
  const known = retryable === null ? null : retryable ? "a retry can help" : "a retry cannot help";
  return html`<section class="operation" id="${code}"><h3><a href="#${code}"><code>${code}</code></a></h3>
${status !== null && html`<p><span class="status">${status}</span> ${title} · ${known}</p>`}
<dl><dt>Cause</dt><dd>${inline(cause)}</dd><dt>Remedy</dt><dd>${inline(remedy)}</dd></dl></section>`;
}

/** Every code with its cause and remedy; `type` of a problem document points here. */
export function errorsPage(document: OpenApi): string {
  const entries = document["x-errors"];
  const kinds = Object.entries(KINDS).map(([kind, title]) => ({ title, list: entries.filter((e) => e.kind === kind) }));
  const nav = html`${kinds.map(
    ({ title, list }) =>
      html`<h2>${title}</h2><ul>${list.map(({ code }) => html`<li><a href="#${code}">${code}</a></li>`)}</ul>`,
  )}`;
  const main = html`<h1>Errors</h1>${kinds.map(({ title, list }) => html`<h2>${title}</h2>${list.map(errorHtml)}`)}`;
  return frame("Kritai errors", nav, main);
}
