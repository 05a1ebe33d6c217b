// How good the problems' tests are: which programs known to be right pass them, which known to be wrong they
// reject, and which mutants none of them kills. Runs nothing.
import { mean } from "../../../src/core/math/stats.ts";
import type { PoolCandidate, PoolProblem } from "../format/pool-format.ts";
import { toldRate } from "./filters.ts";
import type { Pool } from "./pool.ts";

export interface Suite {
  problem_id: string;
  tests: number;
  /** Measured mutants of right programs, and those that pass every test. */
  mutants: number;
  survivors: readonly PoolCandidate[];
  /**
   * Among the programs declared right the share that passes, among those declared wrong the share that does
   * not.
   */
  tpr: number | null;
  tnr: number | null;
}

export interface SuiteFigures {
  problems: number;
  mutants: number;
  /** Over all measured mutants. */
  killed: number | null;
  /** Means over the problems that have such programs. */
  tpr: number | null;
  tnr: number | null;
  /** Share of problems whose tests reject every program known to be wrong (SAGA's verifier accuracy). */
  reject_all: number | null;
}

export function suiteOf({ problem_id, tests }: PoolProblem, candidates: readonly PoolCandidate[]): Suite {
  const mutants = candidates.filter(({ mutation, pass_rate }) => mutation !== null && pass_rate !== null);
  return {
    problem_id,
    tests: tests.length,
    mutants: mutants.length,
    survivors: mutants.filter(({ pass_rate }) => pass_rate === 1),
    tpr: toldRate(candidates, "right") ?? null,
    tnr: toldRate(candidates, "wrong") ?? null,
  };
}

export function suitesOf({ problems, candidates }: Pool): Suite[] {
  const byProblem = Map.groupBy(candidates, ({ problem_id }) => problem_id);
  return problems.map((problem) => suiteOf(problem, byProblem.get(problem.problem_id) ?? []));
}

const meanKnown = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : mean(known);
};

export function suiteFigures(suites: readonly Suite[]): SuiteFigures {
  const mutants = suites.reduce((sum, suite) => sum + suite.mutants, 0);
  const survivors = suites.reduce((sum, suite) => sum + suite.survivors.length, 0);
  return {
    problems: suites.length,
    mutants,
    killed: mutants === 0 ? null : 1 - survivors / mutants,
    tpr: meanKnown(suites.map(({ tpr }) => tpr)),
    tnr: meanKnown(suites.map(({ tnr }) => tnr)),
    reject_all: meanKnown(suites.map(({ tnr }) => (tnr === null ? null : Number(tnr === 1)))),
  };
}
