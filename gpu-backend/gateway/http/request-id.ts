// The id of a request in its reply, its events and the log.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * The caller's `x-request-id` if it has a safe form, so that one id identifies the request on both sides;
 * otherwise a new id.
 */
export function requestId({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : randomUUID();
}
