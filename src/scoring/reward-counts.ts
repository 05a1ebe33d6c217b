// Counts rewards for a request's log line: how many there are, their mean, and why others are missing.
import type { RolloutResult } from "../core/contract/group-reply.ts";
import { mean } from "../core/math/stats.ts";
import type { ScoredCounts } from "./request-scope.ts";

/** Number of occurrences of each code; null without codes. */
export function tally(codes: readonly string[]): Record<string, number> | null {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return codes.length === 0 ? null : counts;
}

export function rewardCounts(
  rollouts: readonly Pick<RolloutResult, "reward" | "error">[],
): Pick<ScoredCounts, "rollouts" | "rewards" | "reward_mean" | "nulls"> {
  const known = rollouts.flatMap(({ reward }) => reward ?? []);
  const nulls = tally(rollouts.flatMap(({ reward, error }) => (reward === null ? (error ?? []) : [])));
  const reward_mean = known.length === 0 ? null : mean(known);
  return { rollouts: rollouts.length, rewards: known.length, reward_mean, ...(nulls !== null && { nulls }) };
}
