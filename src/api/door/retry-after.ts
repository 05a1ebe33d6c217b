// The Retry-After that passes a verifier's own wait on to the client.
import type { RewardsReply } from "../../core/contract/replies.ts";
import { isMendable } from "../../core/faults/mendable.ts";

/** The longest wait of a verifier that is passed on. */
const RETRY_AFTER_S_MAX = 86_400;

/** The header for a wait in ms; no header for null. */
export function retryAfter(ms: number | null): Record<string, string> {
  if (ms === null) return {};
  return { "retry-after": `${Math.min(RETRY_AFTER_S_MAX, Math.max(1, Math.ceil(ms / 1000)))}` };
}

/** The same for a reply with gaps that sending the request again may fill; else no header. */
export const retryAfterGaps = (reply: RewardsReply, ms: number | null): Record<string, string> =>
  isMendable(reply) ? retryAfter(ms) : {};
