// Owns the study's lists: n candidates of one problem, drawn by a seed from a set's measured ones.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom, hashText, shuffled } from "../../../src/core/math/random.ts";

export interface StudyList {
  problem: string;
  /** Pass rates of the candidates, not all equal. */
  qualities: readonly number[];
}

/**
 * `draws` lists of n candidates of every problem that has so many.
 * @throws Error when the folder holds no candidates.jsonl
 */
export function readLists(folder: string, n: number, draws: number): StudyList[] {
  const byProblem = new Map<string, number[]>();
  const lines = readFileSync(join(folder, "candidates.jsonl"), "utf8").trim().split("\n");
  for (const line of lines) {
    const { problem_id, pass_rate } = JSON.parse(line) as { problem_id: string; pass_rate: number | null };
    if (typeof pass_rate === "number") byProblem.set(problem_id, [...(byProblem.get(problem_id) ?? []), pass_rate]);
  }
  return [...byProblem].flatMap(([problem, rates]) => {
    if (rates.length < n) return [];
    return Array.from({ length: draws }, (_, draw) => {
      const qualities = shuffled(rates, createRandom(hashText("study", problem, n, draw))).slice(0, n);
      return { problem, qualities };
    }).filter(({ qualities }) => new Set(qualities).size > 1);
  });
}
