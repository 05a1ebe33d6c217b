// Owns /openapi.json, the documentation pages and the pages of runs: static assets, built
// into `public/` and sent with our headers.
import { ApiError } from "../../core/faults/errors.ts";
import type { RouteDeps } from "../door/deps.ts";
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
  "/docs/search.js": { file: "/docs/search.js", type: "text/javascript; charset=utf-8" },
  "/docs/style.css": { file: "/docs/style.css", type: "text/css; charset=utf-8" },
  "/runs": RUNS,
  "/runs/:run_id": RUNS,
  "/runs/:run_id/steps/:step": RUNS,
  "/groups/:id": RUNS,
  "/runs.js": { file: "/runs.js", type: "text/javascript; charset=utf-8" },
  "/runs.css": { file: "/runs.css", type: "text/css; charset=utf-8" },
};

/**
 * The Worker runs before its assets, so that these replies too carry a request id and stand behind
 * the same checks.
 */
export function page({ assets }: RouteDeps, { file, type, csp = CSP }: Asset) {
  return async (): Promise<Response> => {
    const found = await assets?.(file);
    if (!found?.ok) throw new ApiError("not_found", "This deployment has no pages.");
    const headers = {
      "content-type": type,
      "cache-control": "public, max-age=300",
      ...(type.startsWith("text/html") && { "content-security-policy": csp }),
    };
    return new Response(found.body, { headers });
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
