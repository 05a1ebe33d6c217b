// Parses the Prefer header (RFC 7240): `respond-async` and `wait`.
import { LIMITS } from "../../core/faults/limits.ts";
import type { AppContext } from "./scope.ts";

interface Preferences {
  /** Whether to reply 202 at once and continue in the background. */
  respond_async: boolean;
  /** Number of seconds that the client is willing to wait; null: no limit. */
  wait_s: number | null;
}

const WAIT = /^wait\s*=\s*"?(\d{1,6})"?$/;

/** The client's preferences. Per RFC 7240, unknown ones are ignored and the first of duplicates counts. */
export function preferences(c: AppContext): Preferences {
  const header = (c.req.header("prefer") ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => (part.split(";")[0] as string).trim());
  const wait = header.map((part) => WAIT.exec(part)?.[1]).find((seconds) => seconds !== undefined);
  return {
    respond_async: header.includes("respond-async"),
    wait_s: wait === undefined ? null : Math.min(Number(wait), LIMITS.prefer_wait_s_max),
  };
}
