// Decides which measured problems and candidates may enter lists, and the reason for each that may not. Runs
// nothing.
import { normaliseCandidate } from "../../../src/core/candidate/extract.ts";
import { hashText } from "../../../src/core/math/random.ts";
import { type PoolCandidate, type PoolProblem, statementKey } from "../format/pool-format.ts";
import { type Bucket, bucketOf } from "./lists.ts";
import { parentMutation } from "./mutating.ts";

export interface Filters {
  prompt_chars_max: number;
  code_chars_max: number;
  tests_min: number;
  /**
   * The least share of the measured candidates declared right that must pass everything; below it
   * the tests are doubted.
   */
  declared_right_min: number;
  /** The same of wrong ones that must fail; absent: any share will do. */
  declared_wrong_min?: number;
  /** A longer time limit says that programs must be timed, which differs by machine; absent: any. */
  time_limit_ms_max?: number;
  /**
   * Candidates kept of each problem, language, generator and pass rate (easy: of each tenth); right
   * ones as many as hard ones.
   */
  per_pass_rate_max: Record<Bucket, number>;
}

export const DEFAULT_FILTERS: Filters = {
  prompt_chars_max: 16_384,
  code_chars_max: 8_192,
  tests_min: 5,
  declared_right_min: 0.8,
  per_pass_rate_max: { easy: 1, hard: 4 },
};

/** How many were left out, by reason. */
export type Reasons = Record<string, number>;

const noteIn = (reasons: Reasons, reason: string): void => {
  reasons[reason] = (reasons[reason] ?? 0) + 1;
};

/** Why a candidate may not enter a list; null when it may. */
export function candidateFault(candidate: PoolCandidate, filters: Filters): string | null {
  if (candidate.pass_rate === null)
    return candidate.unmeasured === null ? "not run yet" : `unmeasured: ${candidate.unmeasured}`;
  if (candidate.code.length > filters.code_chars_max) return `code over ${filters.code_chars_max} characters`;
  if (candidate.declared === "right" && candidate.pass_rate !== 1) return "declared right, but fails";
  if (candidate.pass_rate !== 1 && bucketOf(candidate.pass_rate) === null) return "pass rate outside every bucket";
  // It may be right or its mistake unseen: no label can be trusted, so it is neither a right
  // program nor a wrong one.
  if (candidate.mutation !== null && candidate.pass_rate === 1) return "surviving mutant (passes every test)";
  // Whether a run ends in time is the machine's doing as much as the program's, and a set must be
  // the same on every machine.
  if ("timeout" in candidate.failures || "memory" in candidate.failures) return "time or memory limit exceeded";
  return null;
}

/**
 * The share of the measured programs declared right that pass everything (TPR), or of those declared
 * wrong that do not (TNR); undefined without any.
 */
export function toldRate(candidates: readonly PoolCandidate[], as: "right" | "wrong"): number | undefined {
  const measured = candidates.filter(({ declared, pass_rate }) => declared === as && pass_rate !== null);
  const confirmed = measured.filter(({ pass_rate }) => (pass_rate === 1) === (as === "right"));
  return measured.length === 0 ? undefined : confirmed.length / measured.length;
}

/** Whether one of the known rates, measured or from the source, is too low. */
const isBelow = (min: number, ...rates: readonly (number | undefined)[]): boolean =>
  rates.some((rate) => rate !== undefined && rate < min);

/**
 * Why a problem may not be used; null when it may. `candidates` are all it has, so that programs left out
 * still count against its tests.
 */
export function problemFault(
  problem: PoolProblem,
  candidates: readonly PoolCandidate[],
  filters: Filters,
): string | null {
  const { prompt, tests } = problem;
  if (prompt.length > filters.prompt_chars_max) return `prompt over ${filters.prompt_chars_max} characters`;
  if (tests.length < filters.tests_min) return `fewer than ${filters.tests_min} tests`;
  const { declared_right_min, declared_wrong_min = 0, time_limit_ms_max } = filters;
  if (isBelow(declared_right_min, toldRate(candidates, "right"), problem.true_positive_rate))
    return "too many programs declared right fail";
  if (isBelow(declared_wrong_min, toldRate(candidates, "wrong"), problem.true_negative_rate))
    return "too many programs declared wrong pass";
  if (time_limit_ms_max !== undefined && (problem.time_limit_ms ?? 0) > time_limit_ms_max)
    return `time limit over ${time_limit_ms_max} ms`;
  const valid = candidates.filter((candidate) => candidateFault(candidate, filters) === null);
  if (!valid.some(({ pass_rate }) => pass_rate === 1)) return "no right program";
  if (!valid.some(({ pass_rate }) => pass_rate !== 1)) return "no wrong program in a bucket";
  return null;
}

/**
 * One of each set of programs that are equal up to trailing blanks, within problem, language and
 * generator.
 */
function withoutDuplicates(candidates: readonly PoolCandidate[], reasons: Reasons): PoolCandidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ problem_id, language, generator, code }) => {
    const key = JSON.stringify([problem_id, language, generator, normaliseCandidate(code)]);
    if (seen.has(key)) noteIn(reasons, "duplicate program");
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * How much a candidate helps against giving the right program away: a parent with its mutants can be in the
 * middle of a list.
 */
function familyRank(candidates: readonly PoolCandidate[]): (candidate: PoolCandidate) => number {
  const key = ({ problem_id, language }: PoolCandidate, mutation: string | null): string =>
    JSON.stringify([problem_id, language, mutation]);
  const parents = new Set(candidates.map((candidate) => key(candidate, parentMutation(candidate))));
  return (candidate) => {
    if (candidate.mutation === null) return 0;
    if (parents.has(key(candidate, candidate.mutation))) return 2;
    return parentMutation(candidate) === null ? 0 : 1;
  };
}

/**
 * At most a fixed number of each problem, language, generator and pass rate or tenth: mutants that have
 * mutants first, then those mutants, then by content, so that the choice repeats on its own result.
 */
function thinned(candidates: readonly PoolCandidate[], filters: Filters, reasons: Reasons): PoolCandidate[] {
  const rank = new Map(candidates.map((candidate) => [candidate, hashText("thin", candidate.candidate_id)[0]]));
  const family = familyRank(candidates);
  const taken = new Map<string, number>();
  const byRank = candidates.toSorted((a, b) => family(b) - family(a) || (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
  const selected = new Set(
    byRank.filter(({ problem_id, language, generator, pass_rate }) => {
      const rate = pass_rate ?? 1;
      const bucket = bucketOf(rate) ?? "hard";
      const band = bucket === "easy" ? Math.floor(rate * 10) : rate;
      const key = JSON.stringify([problem_id, language, generator, bucket, band]);
      const count = (taken.get(key) ?? 0) + 1;
      taken.set(key, count);
      const max = filters.per_pass_rate_max[bucket];
      if (count > max) noteIn(reasons, "enough candidates with that pass rate");
      return count <= max;
    }),
  );
  return candidates.filter((candidate) => selected.has(candidate));
}

export interface Usable {
  problems: PoolProblem[];
  /** In the order of problem, language, generator and id. */
  candidates: PoolCandidate[];
  left_out: { problems: Reasons; candidates: Reasons };
}

const orderKey = ({ problem_id, language, generator, candidate_id }: PoolCandidate): string =>
  [problem_id, language, generator, candidate_id].join("\u0000");

/**
 * The problems and candidates that may enter lists. Applied to its own result it changes nothing.
 */
export function usable(
  problems: readonly PoolProblem[],
  candidates: readonly PoolCandidate[],
  filters: Filters,
): Usable {
  const left_out: Usable["left_out"] = { problems: {}, candidates: {} };
  const valid = candidates.filter((candidate) => {
    const fault = candidateFault(candidate, filters);
    if (fault !== null) noteIn(left_out.candidates, fault);
    return fault === null;
  });
  const byProblem = Map.groupBy(candidates, ({ problem_id }) => problem_id);
  const statements = new Set<string>();
  const usableProblems = problems
    .toSorted((a, b) => (a.problem_id < b.problem_id ? -1 : 1))
    .filter((problem) => {
      const statement = statementKey(problem.prompt);
      const fault = statements.has(statement)
        ? "duplicate problem statement"
        : problemFault(problem, byProblem.get(problem.problem_id) ?? [], filters);
      if (fault === null) statements.add(statement);
      else noteIn(left_out.problems, fault);
      return fault === null;
    });
  const ids = new Set(usableProblems.map(({ problem_id }) => problem_id));
  const ofKept = valid.filter(({ problem_id }) => ids.has(problem_id));
  const ordered = ofKept.toSorted((a, b) => (orderKey(a) < orderKey(b) ? -1 : 1));
  const chosen = thinned(withoutDuplicates(ordered, left_out.candidates), filters, left_out.candidates);
  return { problems: usableProblems, candidates: chosen, left_out };
}
