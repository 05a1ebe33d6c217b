// The study's lists: n candidates of one problem, drawn by a seed from a set's measured ones.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";

export interface StudyList {
  problem: string;
  /** Pass rates of the candidates, not all equal. */
  qualities: readonly number[];
  /** Their programs, in the same order. */
  programs: readonly string[];
}

interface Candidate {
  problem_id: string;
  pass_rate: number | null;
  code: string;
}

const rowsOf = <T>(folder: string, name: string): T[] =>
  readFileSync(join(folder, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);

/**
 * `draws` lists of n candidates of every problem that has that many.
 * @throws Error when the folder holds no candidates.jsonl
 */
export function readLists(folder: string, n: number, draws: number): StudyList[] {
  const byProblem = new Map<string, { rate: number; code: string }[]>();
  for (const { problem_id, pass_rate, code } of rowsOf<Candidate>(folder, "candidates.jsonl")) {
    if (typeof pass_rate !== "number") continue;
    byProblem.set(problem_id, [...(byProblem.get(problem_id) ?? []), { rate: pass_rate, code }]);
  }
  return [...byProblem].flatMap(([problem, candidates]) => {
    if (candidates.length < n) return [];
    return Array.from({ length: draws }, (_, draw): StudyList => {
      const drawn = shuffled(candidates, createRandom(hashText("study", problem, n, draw))).slice(0, n);
      return { problem, qualities: drawn.map(({ rate }) => rate), programs: drawn.map(({ code }) => code) };
    }).filter(({ qualities }) => new Set(qualities).size > 1);
  });
}

/** Each problem's prompt, by its id. @throws Error when the folder holds no problems.jsonl */
export function readPrompts(folder: string): Map<string, string> {
  const rows = rowsOf<{ problem_id: string; prompt: string }>(folder, "problems.jsonl");
  return new Map(rows.map(({ problem_id, prompt }) => [problem_id, prompt]));
}
