// Orderings that depend only on a seed and contents: of candidates, and of a wave that a budget may cut
// short.
import { type ContentKey, compareKeys } from "../candidate/classes.ts";
import { createRandom, hashText, shuffled } from "../math/random.ts";
import type { Match } from "./schedules/schedule.ts";

/** Candidates in an order that depends only on the seed and their contents. */
export function seededOrder(players: readonly number[], keys: readonly ContentKey[], seed: number): number[] {
  const key = (i: number) => keys[i] as ContentKey;
  const byContent = [...players].sort((i, j) => compareKeys(key(i), key(j)));
  return shuffled(byContent, createRandom(hashText("schedule", seed, ...byContent.flatMap((i) => [...key(i)]))));
}

/**
 * Orders a wave that the budget may cut short, in a group of n candidates: the least asked candidates come
 * first, so that none is left out.
 */
export function leastAskedFirst(wave: readonly Match[], seed: number, n: number): readonly Match[] {
  const times = new Map<number, number>();
  const costOf = (match: Match) => match.reduce((sum, i) => sum + (times.get(i) ?? 0), 0);
  const line: Match[] = [];
  // Buckets by cost. Costs only grow, so an entry of the lowest bucket has the lowest cost, unless its cost
  // has grown since it was put there.
  const piles = [[...shuffled(wave, createRandom(hashText("spread", seed, n))).entries()]];
  for (let cost = 0; cost < piles.length; cost++) {
    for (const entry of (piles[cost] ?? []).sort(([a], [b]) => a - b)) {
      const [, next] = entry;
      const grown = costOf(next);
      if (grown > cost) {
        piles[grown] ??= [];
        piles[grown].push(entry);
        continue;
      }
      for (const i of next) times.set(i, (times.get(i) ?? 0) + 1);
      line.push(next);
    }
  }
  return line;
}
