// Owns what a budget pays of a group's comparisons, and the refusal of one that pays too little.
import type { Spec } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import { firstCost } from "./asking-pairs.ts";
import { askingsOf, tokensOf } from "./thinking.ts";

/**
 * Generations that the budget pays for a group of n. A ratio is of all pairs as the judge asks each
 * at first, and pays at least n - 1 pairs: with fewer some would go without.
 */
export function generationsOf(judge: Spec["judge"], n: number): number {
  const { generations, ratio } = judge.budget ?? {};
  const pairs = (count: number) => count * firstCost(judge) * askingsOf(judge);
  if (ratio !== undefined) return Math.max(Math.floor(ratio * pairs((n * (n - 1)) / 2)), pairs(n - 1));
  return generations ?? Number.POSITIVE_INFINITY;
}

/** First askings that are paid even if each takes max_tokens and is asked again with `think`. */
export function paidFor(judge: Spec["judge"], generations: number): number {
  const { budget } = judge;
  return Math.floor(budget?.tokens === undefined ? generations / askingsOf(judge) : budget.tokens / tokensOf(judge));
}

/** @throws ApiError where the budget does not pay one pair for everyone, n - 1 in all */
export function assertPays(judge: Spec["judge"], n: number, generations: number): void {
  const least = Math.max(0, n - 1) * firstCost(judge);
  const { tokens } = judge.budget ?? {};
  const paid = paidFor(judge, generations);
  if (paid >= least) return;
  const [cost, why] = [tokensOf(judge), judge.think === undefined ? "max_tokens" : "think.first + think.then"];
  const twice = judge.think === undefined ? "" : " that may each be asked again (think)";
  const most = tokens === undefined ? twice : ` of at most ${why} = ${cost} tokens each`;
  throw new ApiError(
    "invalid_request",
    `judge.budget pays ${paid} generations${most}; comparing ${n} different candidates takes at least ${least}. Raise it, or use smaller groups.`,
  );
}
