// Passes a verifier's Retry-After on to the client.
import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import { isMendable } from "../../core/faults/mendable.ts";

/** Maximum wait that is passed on to the client, in seconds. */
const RETRY_AFTER_S_MAX = 86_400;

/** The Retry-After header for a wait in ms; no header for null. */
export function retryAfter(ms: number | null): Record<string, string> {
  if (ms === null) return {};
  return { "retry-after": `${Math.min(RETRY_AFTER_S_MAX, Math.max(1, Math.ceil(ms / 1000)))}` };
}

/** The Retry-After header if the reply has gaps that sending the request again may fill; otherwise none. */
export const retryAfterGaps = (reply: RewardsReply, ms: number | null): Record<string, string> =>
  isMendable(reply) ? retryAfter(ms) : {};
