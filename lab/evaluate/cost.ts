// Defines what a run's tokens cost. The formula is the cost sheet's; this only feeds it. Pure.
import { costOf } from "../../gpu-backend/serve/cost-model.ts";

export interface Price {
  /** Dollars per GPU and hour. */
  gpu_hour: number;
  gpus: number;
  /** Computed tokens a second of all GPUs together, prompts and answers alike. */
  tokens_per_second: number;
}

/** Dollars for these tokens at steady load, no prefix cache counted; null without a price. */
export function dollarsFor(tokens: { prompt: number; completion: number }, price: Price | null): number | null {
  if (price === null) return null;
  // All tokens as those of one comparison: the sheet's formula is linear in them.
  return costOf({
    tokens_per_second: price.tokens_per_second,
    prefill_tokens_per_second: null,
    price: price.gpu_hour,
    gpus: price.gpus,
    group: 2,
    mode: "pairwise",
    both_orders: false,
    samples: 1,
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    prefix_hit: 0,
    saved: 0,
    utilisation: 1,
  }).dollars_per_group;
}
