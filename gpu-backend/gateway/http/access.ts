// Owns who may ask the gateway: the key, or loopback when there is none. Knows no route; never
// stores a key in clear.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

export const isLoopbackHost = (host: string): boolean => LOOPBACK.test(host);

const withoutPort = (host: string): string => host.replace(/:\d*$/, "");

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * A check that throws ApiError `unauthorized` for a request that may not pass. With a key:
 * `Authorization: Bearer`, compared in constant time. Without one: only requests addressed to a
 * loopback name, and by no foreign web page.
 */
export function createGate(apiKey: string | null): (request: Pick<IncomingMessage, "headers">) => void {
  const expected = apiKey === null ? null : digest(apiKey);
  return ({ headers }) => {
    if (expected === null) {
      const foreign = headers["sec-fetch-site"] === "cross-site";
      if (!foreign && isLoopbackHost(withoutPort(headers.host ?? ""))) return;
      throw new ApiError(
        "unauthorized",
        "Without a key this gateway answers only requests addressed to a loopback host.",
      );
    }
    const [, key = ""] = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? "") ?? [];
    if (key.length <= LIMITS.key_chars && timingSafeEqual(digest(key), expected)) return;
    throw new ApiError("unauthorized", "Send the gateway's key as a Bearer token.", {
      headers: { "www-authenticate": 'Bearer realm="kritai gateway"' },
    });
  };
}
