// The cost of a reward: tokens, GPU seconds and dollars per group.
import { LIMITS } from "../../src/core/faults/limits.ts";

/** Measured values and the request. Shares are in [0, 1]. */
export interface CostInput {
  /**
   * Computed tokens per second of all `gpus` together, measured at steady load: generated tokens plus prompt
   * tokens outside the prefix cache.
   */
  tokens_per_second: number;
  /**
   * Computed prompt tokens per second, if prefill was measured separately; `tokens_per_second` is then
   * generation only.
   */
  prefill_tokens_per_second: number | null;
  /** Dollars per GPU-hour. */
  price: number;
  gpus: number;
  /** Rollouts per group; each gets one reward. */
  group: number;
  mode: "pairwise" | "listwise";
  both_orders: boolean;
  /** Generations per comparison. */
  samples: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Share of prompt tokens found in the prefix cache. */
  prefix_hit: number;
  /** Share of generated tokens saved by early stopping. */
  saved: number;
  /** Share of the paid time in which the engine runs at the measured rate; above 0. */
  utilisation: number;
}

export interface Cost {
  comparisons_per_group: number;
  generations_per_group: number;
  /**
   * Computed prompt tokens per group, outside the prefix cache. `completion_tokens_per_group`: generated
   * tokens without the saved ones.
   */
  prompt_tokens_per_group: number;
  completion_tokens_per_group: number;
  /** Seconds of all `gpus` together, before dividing by the utilisation. */
  seconds_per_group: number;
  rewards_per_hour: number;
  dollars_per_group: number;
  dollars_per_1000_rewards: number;
}

/**
 * Comparisons of a group without malformed or duplicate rollouts, which is the maximum.
 * @throws RangeError if the group is too small, or too large for one list
 */
export function comparisonsOf({ group, mode, both_orders }: Pick<CostInput, "group" | "mode" | "both_orders">): number {
  if (group < 2) throw new RangeError("a group must have at least 2 rollouts");
  if (mode === "pairwise") return ((group * (group - 1)) / 2) * (both_orders ? 2 : 1);
  if (group > LIMITS.list_candidates_max)
    throw new RangeError(`one list holds at most ${LIMITS.list_candidates_max} candidates, not ${group}`);
  return 1;
}

/**
 * seconds = generations * ((1 - prefix_hit) * prompt / prefill rate + (1 - saved) * completion / rate), and
 * dollars per 1,000 rewards = 1,000 / group * seconds / utilisation * gpus * price / 3,600.
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
