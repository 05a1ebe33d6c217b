// How long a foreign contract may take: 80 % of what its clients wait, so that our answer comes before their
// give-up.
import { LIMITS } from "../../../core/faults/limits.ts";

export interface ClientWaits {
  /** The clients' timeout, ms; null where they set none and the native default holds. */
  wait_ms: number | null;
  /**
   * They have no time-out or one that is a setting: a longer deadline that is asked for is
   * believed.
   */
  settable?: true;
}

const SHARE = 0.8;

/**
 * The deadline in ms; `asked` (the URL's or the body's deadline_ms) replaces it, but never goes
 * beyond a wait that clients cannot change.
 */
export function contractDeadline({ wait_ms, settable }: ClientWaits, asked: number | undefined): number {
  if (wait_ms === null) return asked ?? LIMITS.deadline_ms_default;
  if (settable === true) return asked ?? wait_ms * SHARE;
  return Math.min(wait_ms * SHARE, asked ?? wait_ms);
}
