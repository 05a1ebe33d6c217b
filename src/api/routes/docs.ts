// Owns /openapi.json and the documentation pages: static assets, made by `npm run generate` and
// sent with our headers.
import { ApiError } from "../../core/faults/errors.ts";
import type { RouteDeps } from "../http/deps.ts";

const CSP =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'none'";

/** Each path with its file under `public/`. */
export const PAGES: Readonly<Record<string, { file: string; type: string }>> = {
  "/openapi.json": { file: "/openapi.json", type: "application/json" },
  "/docs": { file: "/docs.html", type: "text/html; charset=utf-8" },
  "/docs/errors": { file: "/docs/errors.html", type: "text/html; charset=utf-8" },
  "/docs/style.css": { file: "/docs/style.css", type: "text/css; charset=utf-8" },
};

/**
 * The Worker runs before its assets, so that these replies too carry a request id and stand behind
 * the same checks.
 */
export function page({ assets }: RouteDeps, { file, type }: { file: string; type: string }) {
  return async (): Promise<Response> => {
    const found = await assets?.(file);
    if (!found?.ok) throw new ApiError("not_found", "This deployment has no documentation pages.");
    const headers = {
      "content-type": type,
      "cache-control": "public, max-age=300",
      ...(type.startsWith("text/html") && { "content-security-policy": CSP }),
    };
    return new Response(found.body, { headers });
  };
}
