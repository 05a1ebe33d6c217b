// The warning of a verifier whose response headers come late, so that few requests can be in flight.
import { LIMITS } from "../core/faults/limits.ts";
import type { SessionStats } from "../core/wire/questions.ts";

/** Headers so late come with the first token, or with the answer; seldom of a busy machine alone. */
const LATE_MS = 250;

/** With fewer, connections that are opened first decide. */
const REQUESTS_MIN = 4 * LIMITS.headers_waiting_max;

/**
 * `headers_late` where requests of a batch filled the places for those that wait for headers, and
 * waited long: the batch went at their pace, and not at the verifier's. A group alone cannot be
 * sent in smaller requests.
 */
export function lateHeaders({ headers_ms = 0, requests }: SessionStats, groups: number): string[] {
  if (headers_ms < LATE_MS || requests < REQUESTS_MIN || groups < 2) return [];
  const limit = `headers_waiting_max = ${LIMITS.headers_waiting_max}`;
  return [
    `headers_late: the verifier's headers came more than ${LATE_MS} ms after a request, and of one request here only ${limit} may wait for them. Send a group a request, side by side, or put the gateway before the verifier`,
  ];
}
