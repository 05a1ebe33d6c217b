// Content negotiation: checks Content-Type and Accept.
import { ApiError } from "../../core/faults/errors.ts";

const JSON_TYPE = /^application\/(?:[A-Za-z0-9!#$&^_.-]+\+)?json$/i;

/** Headers that browsers add to requests and that a web page cannot remove. */
const BROWSER_HEADERS = ["origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"];

/**
 * Rejects a body that is not declared as JSON. A missing Content-Type counts as JSON, except from a browser:
 * a web page may send `text/plain`, or no type, to a loopback server without a CORS preflight.
 */
export function requireJson(headers: Headers): void {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new ApiError("unsupported_media_type", "Content-Encoding is not supported; send the body uncompressed.");
  }
  const declared = headers.get("content-type");
  if (declared === null && BROWSER_HEADERS.some((name) => headers.has(name))) {
    throw new ApiError(
      "unsupported_media_type",
      "Bodies sent by a browser need the Content-Type application/json (or a +json type).",
      { headers: { "accept-post": "application/json" } },
    );
  }
  const [type = "", ...parameters] = (declared ?? "application/json").split(";");
  if (!JSON_TYPE.test(type.trim())) {
    throw new ApiError("unsupported_media_type", "Content-Type must be application/json (or a +json type).", {
      headers: { "accept-post": "application/json" },
    });
  }
  const charset = parameters
    .map((p) => /^charset\s*=\s*["']?([^"'\s]*)["']?$/i.exec(p.trim())?.[1])
    .find((c) => c !== undefined);
  if (charset !== undefined && !isUtf8(charset)) {
    throw new ApiError("unsupported_media_type", "The charset must be UTF-8, as JSON requires.");
  }
}

/** Whether a charset label stands for UTF-8, for which WHATWG defines several labels, or its subset ASCII. */
function isUtf8(label: string): boolean {
  if (/^(?:us-)?ascii$/i.test(label)) return true;
  try {
    return new TextDecoder(label).encoding === "utf-8";
  } catch {
    return false;
  }
}

function quality(accept: string, type: string): number {
  const family = `${type.split("/")[0]}/*`;
  let best = { rank: -1, q: 0 };
  for (const part of accept.split(",")) {
    const [range = "", ...parameters] = part.trim().toLowerCase().split(";");
    const rank = [`*/*`, family, type].indexOf(range.trim());
    if (rank < 0 || rank < best.rank) continue;
    const q = parameters.map((p) => /^\s*q=([0-9.]+)\s*$/.exec(p)?.[1]).find((v) => v !== undefined);
    best = { rank, q: q === undefined ? 1 : Math.min(1, Number(q) || 0) };
  }
  return best.q;
}

/** Whether an Accept header prefers HTML to JSON, as that of a browser does. */
export const prefersHtml = (accept: string | undefined): boolean =>
  quality(accept ?? "", "text/html") > quality(accept ?? "", "application/json");

/**
 * The offered type that an Accept header prefers; among equals, the first one.
 * @throws ApiError `not_acceptable`
 */
export function negotiate(accept: string | null, offered: readonly [string, ...string[]]): string {
  if (accept === null || accept.trim() === "") return offered[0];
  const ranked = offered.map((type) => ({ type, q: quality(accept, type) }));
  const best = ranked.reduce((a, b) => (b.q > a.q ? b : a));
  if (best.q > 0) return best.type;
  throw new ApiError("not_acceptable", `Accept must allow one of: ${offered.join(", ")}.`);
}
