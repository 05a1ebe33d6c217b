// Decides when a failed request may be sent again: retried statuses, Retry-After, back-off. Must not depend
// on slots or queues.
import { LIMITS } from "../faults/limits.ts";
import type { PassingFault } from "../faults/question-fault.ts";

const BACKOFF_BASE_MS = 100;
/**
 * Maximum back-off. It is short so that a recovered backend is found within a second; the retry budget limits
 * the number of retries.
 */
const BACKOFF_CAP_MS = 1_000;

/**
 * Statuses that mean "not now": RFC 9110 (408, 409, 421, 429, 502 to 504), RFC 8470 (425), nginx and load
 * balancers whose upstream disconnected (460, 499), Cloudflare in front of a backend (520 to 527, 530), and
 * Anthropic when overloaded (529).
 */
const RETRIED = new Set([
  ...[408, 409, 421, 425, 429, 460, 499],
  ...[502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530],
]);

/** Statuses of an overloaded server. */
const OVERLOADED = new Set([429, 503, 529]);

/** Whether a request that failed with this status may succeed later. */
export function isRetriedStatus(status: number): boolean {
  return RETRIED.has(status);
}

/** The error code for a reply with a retried status. */
export function passingFaultOf(status: number): PassingFault {
  return OVERLOADED.has(status) ? "verifier_overloaded" : "verifier_unavailable";
}

/**
 * Parses Retry-After (RFC 9110, 10.2.3), a delay in seconds or an HTTP date, into milliseconds from now.
 * Returns null if the header is missing or unreadable, and 0 for a date in the past.
 * @param exactMs Azure's `retry-after-ms`, which takes precedence
 */
export function retryAfterMs(header: string | null, now: Date, exactMs: string | null = null): number | null {
  if (exactMs !== null && /^\d{1,12}(\.\d+)?$/.test(exactMs.trim())) return Number(exactMs);
  const value = header?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = /[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

/**
 * Full-jitter back-off (Brooker, "Exponential Backoff And Jitter"): uniform in [0, min(cap, base *
 * 2^(failures - 1))) milliseconds, but at least the server's Retry-After. Returns null if the server asks for
 * more than `retry_after_ms_max`.
 * @param failures number of failed attempts, at least 1
 */
export function waitMs(failures: number, retryAfter: number | null, random: () => number): number | null {
  if (retryAfter !== null && retryAfter > LIMITS.retry_after_ms_max) return null;
  return Math.max(retryAfter ?? 0, random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (failures - 1)));
}
