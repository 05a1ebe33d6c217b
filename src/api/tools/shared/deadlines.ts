// Deadline of a foreign contract: 80 % of its clients' timeout, so that our reply arrives before they give
// up.
import { LIMITS } from "../../../core/faults/limits.ts";

export interface ClientWaits {
  /** The clients' timeout in ms; null if they have none, which selects the native default. */
  wait_ms: number | null;
  /** Set if the clients' timeout is configurable: a longer deadline in the request is then accepted. */
  settable?: true;
}

const SHARE = 0.8;

/**
 * The deadline in ms.
 * @param asked deadline_ms of the URL or body; replaces the default, at most 80 % of a fixed client timeout
 */
export function contractDeadline({ wait_ms, settable }: ClientWaits, asked: number | undefined): number {
  if (wait_ms === null) return asked ?? LIMITS.deadline_ms_default;
  if (settable === true) return asked ?? wait_ms * SHARE;
  return Math.min(wait_ms * SHARE, asked ?? wait_ms);
}
