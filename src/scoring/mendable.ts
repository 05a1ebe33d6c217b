// Owns whether sending a request again may bring a reward that its reply lacks.

import type { RewardsReply } from "../core/contract/replies.ts";
import type { ItemErrorCode } from "../core/faults/errors.ts";

/** Faults that the same question would meet again. */
const LASTING: ReadonlySet<ItemErrorCode> = new Set([
  "context_exceeded",
  "content_filtered",
  "verifier_rejected",
  "logprobs_unavailable",
  "group_too_small",
  "unparsed",
]);

/**
 * Whether sending the request again may bring a reward that this reply lacks. What is `partial` for
 * want of readable answers stays so.
 */
export function isMendable({ groups }: Pick<RewardsReply, "groups">): boolean {
  const failed = groups.some(({ verifier }) => verifier.failed > 0);
  const lasts = (code: ItemErrorCode) => LASTING.has(code) || (code === "partial" && !failed);
  return groups.some(({ rollouts }) => rollouts.some(({ error }) => error !== null && !lasts(error)));
}
