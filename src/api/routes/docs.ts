// Owns /openapi.json, the documentation pages and the pages of runs: static assets, built
// into `public/` and sent with our headers.
import { ApiError } from "../../core/faults/errors.ts";
import type { RouteDeps } from "../door/deps.ts";
import type { AppContext } from "../door/scope.ts";
import { serviceInfo } from "./service.ts";
import { documented, serviceWords } from "./words.ts";

const FRAMED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** The reference is whole without its script, which searches the page and asks nobody. */
const CSP = `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; ${FRAMED}; connect-src 'none'`;
/** The pages of runs ask the API for rows with the key that was typed into them. */
const RUNS_CSP = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; ${FRAMED}`;

interface Asset {
  file: string;
  type: string;
  csp?: string;
}

const RUNS: Asset = { file: "/runs.html", type: "text/html; charset=utf-8", csp: RUNS_CSP };

/** Each path, or pattern, with its file under `public/`. */
export const PAGES: Readonly<Record<string, Asset>> = {
  "/openapi.json": { file: "/openapi.json", type: "application/json" },
  "/docs": { file: "/docs.html", type: "text/html; charset=utf-8" },
  "/docs/errors": { file: "/docs/errors.html", type: "text/html; charset=utf-8" },
  "/docs/alarms": { file: "/docs/alarms.html", type: "text/html; charset=utf-8" },
  "/docs/index.js": { file: "/docs/index.js", type: "text/javascript; charset=utf-8" },
  "/docs/search.js": { file: "/docs/search.js", type: "text/javascript; charset=utf-8" },
  "/docs/style.css": { file: "/docs/style.css", type: "text/css; charset=utf-8" },
  "/docs/:page": { file: "/docs/:page.html", type: "text/html; charset=utf-8" },
  "/docs/:folder/:page": { file: "/docs/:folder/:page.html", type: "text/html; charset=utf-8" },
  "/runs": RUNS,
  "/runs/:run_id": RUNS,
  "/runs/:run_id/steps/:step": RUNS,
  "/groups/:id": RUNS,
  "/runs.js": { file: "/runs.js", type: "text/javascript; charset=utf-8" },
  "/runs.css": { file: "/runs.css", type: "text/css; charset=utf-8" },
};

const NO_PAGE = "There is no such page. GET /docs/guides lists them.";

/** A name in an address as that of a file. @throws ApiError `not_found` where no file has such a name */
function pageName(given: string | undefined): string {
  if (given === undefined || !/^[a-z0-9-]{1,64}$/.test(given)) throw new ApiError("not_found", NO_PAGE);
  return given;
}

/**
 * The Worker runs before its assets, so that these replies too carry a request id and stand behind
 * the same checks.
 */
export function page({ assets }: RouteDeps, { file, type, csp = CSP }: Asset) {
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

/** What this is: a page for a browser, which asks for one, and JSON for all others. */
export function front(deps: RouteDeps) {
  const shown = page(deps, { file: "/index.html", type: "text/html; charset=utf-8" });
  const told = serviceInfo();
  return async (c: AppContext): Promise<Response> => {
    const html = /\btext\/html\b/.test(c.req.header("accept") ?? "") && deps.assets !== undefined;
    const response = html ? await shown(c) : told(c);
    response.headers.set("vary", "accept");
    return response;
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /openapi.json": serviceWords("openapi", "This document", "application/json"),
  "GET /docs": serviceWords("docs", "The API reference as a page", "text/html"),
  "GET /docs/errors": serviceWords("docsErrors", "Every error code with its cause and remedy", "text/html"),
  "GET /docs/alarms": serviceWords(
    "docsAlarms",
    "Every alarm over a run with its rule and what to look at",
    "text/html",
  ),
}));
