// The price of a reward: what a group asks of the engine, in tokens, GPU seconds and dollars. Pure; must not
// know flags or printing.
import { LIMITS } from "../../src/core/faults/limits.ts";

/** The measured values and the request. Shares are in [0, 1]. */
export interface CostInput {
  /**
   * Computed tokens a second of all `gpus` together, measured at steady load: generated ones and
   * the prompt tokens that no cache held.
   */
  tokens_per_second: number;
  /**
   * Computed prompt tokens a second, where prefill was measured apart; then `tokens_per_second` is
   * that of generation alone.
   */
  prefill_tokens_per_second: number | null;
  /** Dollars per GPU and hour. */
  price: number;
  gpus: number;
  /** Rollouts of a group: each gets one reward. */
  group: number;
  mode: "pairwise" | "listwise";
  both_orders: boolean;
  /** Generations a comparison. */
  samples: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Share of prompt tokens that the prefix cache holds. */
  prefix_hit: number;
  /** Share of generated tokens that early stop saves. */
  saved: number;
  /** Share of the paid time in which the engine is at the measured rate; above 0. */
  utilisation: number;
}

export interface Cost {
  comparisons_per_group: number;
  generations_per_group: number;
  /**
   * Computed, of one group: the prompt tokens outside the cache and the generated ones that were
   * not saved.
   */
  prompt_tokens_per_group: number;
  completion_tokens_per_group: number;
  /** Seconds of all `gpus` together, utilisation left out. */
  seconds_per_group: number;
  rewards_per_hour: number;
  dollars_per_group: number;
  dollars_per_1000_rewards: number;
}

/**
 * Comparisons of one group in which no rollout is malformed or a duplicate: the most it can ask.
 * @throws RangeError when the group is too small, or too large for one list
 */
export function comparisonsOf({ group, mode, both_orders }: Pick<CostInput, "group" | "mode" | "both_orders">): number {
  if (group < 2) throw new RangeError("a group needs 2 rollouts to compare");
  if (mode === "pairwise") return ((group * (group - 1)) / 2) * (both_orders ? 2 : 1);
  if (group > LIMITS.list_candidates_max)
    throw new RangeError(`one list holds at most ${LIMITS.list_candidates_max} candidates, not ${group}`);
  return 1;
}

/**
 * seconds = generations * ((1 - prefix_hit) * prompt / prefill rate + (1 - saved) * completion /
 * rate), and dollars per 1,000 rewards = 1,000 / group * seconds / utilisation * gpus * price /
 * 3,600.
 * @throws RangeError as `comparisonsOf`
 */
export function costOf(input: CostInput): Cost {
  const comparisons = comparisonsOf(input);
  const generations = comparisons * input.samples;
  const prompt = generations * input.prompt_tokens * (1 - input.prefix_hit);
  const completion = generations * input.completion_tokens * (1 - input.saved);
  const prefillRate = input.prefill_tokens_per_second ?? input.tokens_per_second;
  const seconds = prompt / prefillRate + completion / input.tokens_per_second;
  const paidSeconds = seconds / input.utilisation;
  const dollars = (paidSeconds * input.gpus * input.price) / 3600;
  return {
    comparisons_per_group: comparisons,
    generations_per_group: generations,
    prompt_tokens_per_group: prompt,
    completion_tokens_per_group: completion,
    seconds_per_group: seconds,
    rewards_per_hour: (3600 * input.group) / paidSeconds,
    dollars_per_group: dollars,
    dollars_per_1000_rewards: (dollars * 1000) / input.group,
  };
}
