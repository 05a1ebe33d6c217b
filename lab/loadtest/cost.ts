// Dollars out of a measurement: by the rate seen, and by the project's own cost model.
import { costOf } from "../../gpu-backend/serve/cost-model.ts";

export interface CostFlags {
  /** Dollars per GPU and hour; null: nothing can be said. */
  gpu_hour_price: number | null;
  gpus: number;
  /** The engine's computed tokens a second at steady load, all GPUs together. */
  tokens_per_second: number | null;
}

/** The use over a measurement. */
export interface Use {
  rewards: number;
  generations: number;
  completion: number;
  prompt: number;
}

/**
 * Dollars per 1,000 rewards. `measured`: the GPUs' price over the rewards that this load brought,
 * so idle GPUs cost too. `modelled`: the tokens used, at the stated rate of a busy engine
 * (gpu-backend/serve/cost-model.ts). null where something is not known.
 */
export function dollarsPer1000Rewards(
  { gpu_hour_price, gpus, tokens_per_second }: CostFlags,
  { rewards, generations, completion, prompt }: Use,
  rewards_per_s: number | null,
): { measured: number | null; modelled: number | null } {
  if (gpu_hour_price === null) return { measured: null, modelled: null };
  const dollars_per_s = (gpu_hour_price * gpus) / 3600;
  const measured = rewards_per_s === null || rewards_per_s === 0 ? null : (1000 * dollars_per_s) / rewards_per_s;
  if (tokens_per_second === null || rewards === 0 || generations === 0) return { measured, modelled: null };
  // As the model has it: a pair is one comparison of two rewards, here with as many samples as two
  // rewards took generations.
  const { dollars_per_1000_rewards } = costOf({
    tokens_per_second,
    prefill_tokens_per_second: null,
    price: gpu_hour_price,
    gpus,
    group: 2,
    mode: "pairwise",
    both_orders: false,
    samples: (2 * generations) / rewards,
    prompt_tokens: prompt / generations,
    completion_tokens: completion / generations,
    prefix_hit: 0,
    saved: 0,
    utilisation: 1,
  });
  return { measured, modelled: dollars_per_1000_rewards };
}
