// The id under which a request is known in its reply, its events and the log.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The caller's own id where it is a plain one, so that one id finds the request on both sides. */
export function requestId({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : randomUUID();
}
