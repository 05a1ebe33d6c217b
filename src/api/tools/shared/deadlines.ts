// Computes the deadline for requests to another tool's API: 80 % of its clients' timeout, so that the reply
// arrives before they give up.
import { LIMITS } from "../../../core/faults/limits.ts";

export interface ClientWaits {
  /** The clients' timeout in ms; null if they have none, in which case our default deadline applies. */
  wait_ms: number | null;
  /** Set if the clients' timeout is configurable, so that a longer deadline in the request is accepted. */
  settable?: true;
}

const SHARE = 0.8;

/**
 * The deadline in ms.
 * @param asked `deadline_ms` in the URL or body; if the timeout is not settable, limited to 80 % of it
 */
export function contractDeadline({ wait_ms, settable }: ClientWaits, asked: number | undefined): number {
  if (wait_ms === null) return asked ?? LIMITS.deadline_ms_default;
  if (settable === true) return asked ?? wait_ms * SHARE;
  return Math.min(wait_ms * SHARE, asked ?? wait_ms);
}
