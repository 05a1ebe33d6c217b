// Warns of a verifier whose response headers arrive late, which limits the number of requests in flight.
import { LIMITS } from "../core/faults/limits.ts";
import type { SessionStats } from "../core/wire/questions.ts";

/**
 * Headers this late arrive with the first token or with the answer; a busy machine alone is rarely the cause.
 */
const LATE_MS = 250;

/** Minimum number of requests; with fewer, connection setup dominates the measurement. */
const REQUESTS_MIN = 4 * LIMITS.headers_waiting_max;

/**
 * `headers_late` if a batch's requests used all slots for requests that wait for headers, and waited long:
 * then headers, not the verifier, limit the batch's speed. Not for a single group, which cannot be split into
 * smaller requests.
 */
export function lateHeaders({ headers_ms = 0, requests }: SessionStats, groups: number): string[] {
  if (headers_ms < LATE_MS || requests < REQUESTS_MIN || groups < 2) return [];
  const limit = `headers_waiting_max = ${LIMITS.headers_waiting_max}`;
  return [
    `headers_late: the verifier's headers came more than ${LATE_MS} ms after a request, and one API request can wait for at most ${limit} of them. Send one group per request, in parallel, or put the gateway in front of the verifier`,
  ];
}
