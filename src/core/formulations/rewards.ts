// The complete computation of /v1/verdicts: rewards for training the verifier itself.

import { softOverlong } from "../candidate/overlong.ts";
import { isTooLong } from "../contract/text-bytes.ts";
import type { VerdictsReply } from "../contract/verdicts-reply.ts";
import type { VerdictsRequest } from "../contract/verdicts-request.ts";
import { LIMITS } from "../faults/limits.ts";
import { letterAt } from "../judges/verdict.ts";
import { mean, populationStd } from "../math/stats.ts";
import { readVerdictCases } from "./cases.ts";
import { scoreVerdict } from "./formulations.ts";

export interface RewardedVerdicts extends Pick<VerdictsReply, "rewards" | "items" | "metrics"> {
  right: (boolean | null)[];
}

/**
 * Rewards every item with content + format + overlong, in the order of the items.
 *
 * `parse_rate` is the share of items with the status `ok`. `accuracy` is the share of items whose robust
 * verdict is the correct candidate: unparsed verdicts count as wrong, and items without a correct candidate
 * (equal pass rates) are left out; null if no items remain. `reward_std` is that of the population. `right`
 * says whether each item counts as correct for `accuracy`; null for items that are left out.
 * @throws ApiError `invalid_request` or `length_tokens_required`, naming the fields
 */
export function rewardVerdicts(request: VerdictsRequest): RewardedVerdicts {
  const { formulation, options, overlong } = request;
  const cases = readVerdictCases(request);
  let parsed = 0;
  const right: (boolean | null)[] = [];
  const items = cases.map((item, i) => {
    // An answer over the size limit is scored like an empty one.
    const cut = isTooLong(item.text, LIMITS.verdict_text_bytes);
    const { content, format, verdict, scores, ...read } = scoreVerdict(
      formulation,
      cut ? { ...item, text: "" } : item,
      options,
    );
    const status = cut ? "too_long" : read.status;
    if (status === "ok") parsed++;
    right.push(item.gold === null ? null : verdict === letterAt(item.gold));
    const length = request.items[i]?.length_tokens as number;
    const punishment = overlong === null ? 0 : softOverlong(length, overlong);
    const components = { content, format, overlong: punishment };
    return { reward: content + format + punishment, components, verdict, scores, status };
  });
  const rewards = items.map(({ reward }) => reward);
  const judged = right.filter((value) => value !== null);
  return {
    rewards,
    items,
    right,
    metrics: {
      parse_rate: parsed / items.length,
      accuracy: judged.length === 0 ? null : judged.filter(Boolean).length / judged.length,
      reward_mean: mean(rewards),
      reward_std: populationStd(rewards),
    },
  };
}
