// Warns about a verifier whose response headers arrive late, which limits the number of requests in flight.
import { LIMITS } from "../core/faults/limits.ts";
import type { SessionStats } from "../core/wire/questions.ts";

/** Headers that take this long usually wait for the first token or the answer, not for a busy server. */
const LATE_MS = 250;

/** Minimum number of requests; with fewer, connection setup dominates the measurement. */
const REQUESTS_MIN = 4 * LIMITS.headers_waiting_max;

/**
 * Warns with `headers_late` if the wait for headers, not the verifier, limits the batch's speed. This is the
 * case if the headers are late and there are more requests than slots for waiting ones. Single groups get no
 * warning, since they cannot be split into smaller requests.
 */
export function lateHeaders({ headers_ms = 0, requests }: SessionStats, groups: number): string[] {
  if (headers_ms < LATE_MS || requests < REQUESTS_MIN || groups < 2) return [];
  const limit = `headers_waiting_max = ${LIMITS.headers_waiting_max}`;
  return [
    `headers_late: the verifier's headers came more than ${LATE_MS} ms after a request, and one API request can wait for at most ${limit} of them. Send one group per request, in parallel, or put the gateway in front of the verifier`,
  ];
}
