// Serves /openapi.json, the documentation pages and the run pages, which are static files in `public/`.
import { ApiError } from "../../core/faults/errors.ts";
import type { AppDeps } from "../door/deps.ts";
import { prefersHtml } from "../door/negotiation.ts";
import { originOf, problemResponse } from "../door/problem.ts";
import type { AppContext } from "../door/scope.ts";
import { serviceInfo } from "./service.ts";
import { documented, serviceWords } from "./words.ts";

/** Content-Security-Policy of pages without scripts. */
const CSP =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/**
 * Content-Security-Policy of pages that call the API with a key that the user enters: the run pages and the
 * API reference.
 */
const ASKING_CSP = `${CSP}; script-src 'self'; connect-src 'self'`;

interface Asset {
  file: string;
  csp?: string;
}

/** Content types by file extension. */
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
};

const RUNS: Asset = { file: "/runs.html", csp: ASKING_CSP };

/** Files in `public/` by path or path pattern. */
export const PAGES: Readonly<Record<string, Asset>> = {
  "/openapi.json": { file: "/openapi.json" },
  "/docs": { file: "/docs.html" },
  "/docs/errors": { file: "/docs/errors.html" },
  "/docs/alarms": { file: "/docs/alarms.html" },
  "/docs/reference.js": { file: "/docs/reference.js" },
  "/docs/reference.css": { file: "/docs/reference.css" },
  "/docs/style.css": { file: "/docs/style.css" },
  "/docs/api/:page": { file: "/docs/api/:page.html", csp: ASKING_CSP },
  "/docs/:page": { file: "/docs/:page.html" },
  "/docs/:folder/:page": { file: "/docs/:folder/:page.html" },
  "/runs": RUNS,
  "/runs/:run_id": RUNS,
  "/runs/:run_id/steps/:step": RUNS,
  "/groups/:id": RUNS,
  "/runs.js": { file: "/runs.js" },
  "/runs.css": { file: "/runs.css" },
};

const NO_PAGE = "This page does not exist. GET /docs/guides lists the pages.";

/** Returns a path segment that may be the name of a page. Throws `not_found` for any other segment. */
function pageName(given: string | undefined): string {
  if (given === undefined || !/^[a-z0-9-]{1,64}$/.test(given)) throw new ApiError("not_found", NO_PAGE);
  return given;
}

/**
 * Serves a static file through the Worker instead of the static-asset layer, so that replies have a request
 * id and pass the same checks as other requests.
 */
export function page({ assets }: AppDeps, { file, csp = CSP }: Asset) {
  const type = TYPES[file.slice(file.lastIndexOf(".") + 1)] as string;
  return async (c: AppContext): Promise<Response> => {
    const named = file.replace(/:(\w+)/g, (_, name: string) => pageName(c.req.param(name)));
    const found = await assets?.(named);
    if (!found?.ok) throw new ApiError("not_found", named === file ? "This deployment has no pages." : NO_PAGE);
    const headers = {
      "content-type": type,
      "cache-control": "public, max-age=300",
      ...(type.startsWith("text/html") && { "content-security-policy": csp }),
    };
    return new Response(found.body, { headers });
  };
}

/** Whether a browser asks for a page, and not a client for data. */
export const wantsPage = ({ req }: AppContext): boolean => req.method === "GET" && prefersHtml(req.header("accept"));

/** Placeholder on the page for unknown paths, which is replaced by the error's message. */
const DETAIL = "DETAIL";
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;" };

/** The error `not_found` as a page; null unless a browser asks for a page and the deployment has pages. */
export async function missingPage({ assets }: AppDeps, c: AppContext, fault: ApiError): Promise<Response | null> {
  if (fault.code !== "not_found" || !wantsPage(c)) return null;
  const found = await assets?.("/not-found.html").catch(() => null);
  if (!found?.ok) return null;
  const text = fault.message.replace(/[&<]/g, (character) => ENTITIES[character] as string);
  const { status, headers } = problemResponse(c, fault);
  headers.set("content-type", TYPES.html as string);
  headers.set("content-security-policy", CSP);
  return new Response(
    (await found.text()).replace(DETAIL, () => text),
    { status, headers },
  );
}

/** Placeholder in the example on the front page, which is replaced by the request's origin. */
const HOST = "http://HOST";

/** Serves the front page: HTML for browsers, JSON for all other clients. */
export function front(deps: AppDeps) {
  const shown = page(deps, { file: "/index.html" });
  const atHost = async (c: AppContext): Promise<Response> => {
    const reply = await shown(c);
    return new Response(
      (await reply.text()).replace(HOST, () => originOf(c)),
      reply,
    );
  };
  const infoHandler = serviceInfo();
  return async (c: AppContext): Promise<Response> => {
    const html = wantsPage(c) && deps.assets !== null;
    const response = html ? await atHost(c) : infoHandler(c);
    response.headers.set("vary", "accept");
    return response;
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /openapi.json": serviceWords("openapi", "This document", "application/json"),
  "GET /docs": serviceWords("docs", "API reference as a web page", "text/html"),
  "GET /docs/errors": serviceWords("docsErrors", "All error codes with cause and remedy", "text/html"),
  "GET /docs/alarms": serviceWords("docsAlarms", "All run alarms with their rules and what to check", "text/html"),
}));
