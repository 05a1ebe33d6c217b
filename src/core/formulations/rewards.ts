// Owns the whole computation of /v1/verdicts: rewards for training the verifier itself. Knows no
// HTTP and no log.

import { softOverlong } from "../candidate/overlong.ts";
import type { VerdictsReply } from "../contract/replies.ts";
import type { VerdictsRequest } from "../contract/requests.ts";
import { isTooLong } from "../contract/text-bytes.ts";
import { LIMITS } from "../faults/limits.ts";
import { mean, populationStd } from "../math/stats.ts";
import { readVerdictCases } from "./cases.ts";
import { rightVerdict, scoreVerdict } from "./formulations.ts";

/**
 * Rewards every item: reward = content + format + overlong, in the items' order. Metrics:
 * `parse_rate` = share with status `ok`;
 * `accuracy` = share whose robust verdict is the correct candidate (of a set, exactly all that
 * are), an unparsed one counting as wrong, items without a correct candidate (equal pass rates)
 * left out, null when none is left; `reward_std` over the population. Throws ApiError
 * `invalid_request` or `length_tokens_required`, naming the fields.
 */
export function rewardVerdicts(request: VerdictsRequest): Pick<VerdictsReply, "rewards" | "items" | "metrics"> {
  const { formulation, options, overlong } = request;
  const cases = readVerdictCases(request);
  let parsed = 0;
  let right = 0;
  let judged = 0;
  const items = cases.map((item) => {
    // Of a text that was cut nobody knows what it says: it is read as one that says nothing.
    const cut = isTooLong(item.text, LIMITS.verdict_text_bytes);
    const { content, format, verdict, scores, ...read } = scoreVerdict(
      formulation,
      cut ? { ...item, text: "" } : item,
      options,
    );
    const status = cut ? "too_long" : read.status;
    if (status === "ok") parsed++;
    const wanted = rightVerdict(formulation, item);
    if (wanted !== null) {
      judged++;
      if (verdict === wanted) right++;
    }
    const punishment = overlong === null ? 0 : softOverlong(item.length_tokens as number, overlong);
    const components = { content, format, overlong: punishment };
    return { reward: content + format + punishment, components, verdict, scores, status };
  });
  const rewards = items.map(({ reward }) => reward);
  return {
    rewards,
    items,
    metrics: {
      parse_rate: parsed / items.length,
      accuracy: judged === 0 ? null : right / judged,
      reward_mean: mean(rewards),
      reward_std: populationStd(rewards),
    },
  };
}
