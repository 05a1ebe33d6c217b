// Access control: requires the API key, or a local request if no key is configured. Keys are compared as
// digests and never stored in clear text.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

export const isLoopbackHost = (host: string): boolean => LOOPBACK.test(host);

const withoutPort = (host: string): string => host.replace(/:\d*$/, "");

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Headers that a proxy adds. */
const PROXY_HEADERS = [
  "forwarded",
  "via",
  "cdn-loop",
  "cf-connecting-ip",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-real-ip",
];

/**
 * Whether a request comes from this machine, names a loopback host, and passed neither a proxy nor a
 * cross-site page.
 */
function isLocal({ headers, socket }: GatedRequest): boolean {
  if (headers["sec-fetch-site"] === "cross-site" || PROXY_HEADERS.some((name) => headers[name] !== undefined))
    return false;
  const client = socket?.remoteAddress?.replace(/^::ffff:/i, "") ?? "127.0.0.1";
  return isLoopbackHost(client) && isLoopbackHost(withoutPort(headers.host ?? ""));
}

type GatedRequest = Pick<IncomingMessage, "headers"> & { socket?: { remoteAddress?: string | undefined } };

/**
 * Returns a check that throws ApiError `unauthorized`. With a key, the request must send `Authorization:
 * Bearer`, which is compared in constant time. Without a key, only local requests pass.
 */
export function createGate(apiKey: string | null): (request: GatedRequest) => void {
  const expected = apiKey === null ? null : digest(apiKey);
  return (request) => {
    if (expected === null) {
      if (isLocal(request)) return;
      throw new ApiError(
        "unauthorized",
        "Without GATEWAY_API_KEY this gateway accepts only unproxied requests from its own machine to a loopback host.",
      );
    }
    const [, key = ""] = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? "") ?? [];
    if (key.length <= LIMITS.key_chars && timingSafeEqual(digest(key), expected)) return;
    throw new ApiError("unauthorized", "Send the gateway's key as a Bearer token.", {
      headers: { "www-authenticate": 'Bearer realm="kritai gateway"' },
    });
  };
}
