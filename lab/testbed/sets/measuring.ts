// Pass rates: which engine runs a program, what its outcomes add up to, and that a failure of the engine is
// never a pass rate.
import { mapBounded } from "../engines/bounded.ts";
import type { ExecutionEngine, Program, TestRun } from "../engines/engine.ts";
import type { PoolCandidate, PoolProblem, PoolTest } from "../format/pool-format.ts";
import { PassRateCache, type Tally } from "./pass-rate-cache.ts";

export interface Measured {
  /** Null when it could not be measured. */
  tally: Tally | null;
  /** The reason for a missing tally, for people; null otherwise. */
  unmeasured: string | null;
}

function tallyOf(runs: readonly TestRun[]): Measured {
  const unknown = runs.find(({ outcome }) => outcome === "unmeasured");
  if (unknown !== undefined) return { tally: null, unmeasured: unknown.reason ?? "no reason given" };
  const failures: Record<string, number> = {};
  for (const { outcome } of runs) if (outcome !== "passed") failures[outcome] = (failures[outcome] ?? 0) + 1;
  const passed = runs.filter(({ outcome }) => outcome === "passed").length;
  return { tally: { passed, total: runs.length, failures: sortedKeys(failures) }, unmeasured: null };
}

const sortedKeys = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Runs programs on tests through one engine and one cache. */
export class Meter {
  readonly engine: ExecutionEngine;
  readonly #cache: PassRateCache;
  readonly #testsKeys = new Map<readonly PoolTest[], Promise<string>>();
  runs = 0;
  remembered = 0;

  constructor(engine: ExecutionEngine, cache: PassRateCache) {
    this.engine = engine;
    this.#cache = cache;
  }

  async #key(program: Program, tests: readonly PoolTest[]): Promise<string> {
    const testsKey = this.#testsKeys.get(tests) ?? PassRateCache.testsKey(tests);
    this.#testsKeys.set(tests, testsKey);
    return PassRateCache.key(this.engine.name, await testsKey, program);
  }

  /**
   * One program on all tests; remembered when it was measured before. Never rejects for what the
   * program does.
   */
  async measure(program: Program, tests: readonly PoolTest[]): Promise<Measured> {
    if (!this.engine.runs(program.language)) {
      return { tally: null, unmeasured: `${this.engine.name} does not run ${program.language}` };
    }
    const key = await this.#key(program, tests);
    const known = this.#cache.get(key);
    if (known !== undefined) {
      this.remembered++;
      return { tally: known, unmeasured: null };
    }
    this.runs++;
    const measured = tallyOf(await this.engine.run(program, tests));
    if (measured.tally !== null) this.#cache.record(key, measured.tally);
    return measured;
  }

  /**
   * Takes a recorded measurement for one of this engine's own, so that the program is not run
   * again.
   */
  async remember(program: Program, tests: readonly PoolTest[], tally: Tally): Promise<void> {
    this.#cache.preload(await this.#key(program, tests), tally);
  }
}

/** The candidate with what was measured; without a tally its pass rate stays null. */
export function withMeasurement(candidate: PoolCandidate, { tally, unmeasured }: Measured): PoolCandidate {
  if (tally === null) return { ...candidate, pass_rate: null, passed: null, total: null, failures: {}, unmeasured };
  return { ...candidate, pass_rate: tally.passed / tally.total, ...tally, unmeasured: null };
}

/** The tally in a measured candidate's row; null without a pass rate. */
export function recordedTally({ passed, total, failures }: PoolCandidate): Tally | null {
  return passed === null || total === null ? null : { passed, total, failures };
}

/**
 * Measures candidates on their problems' tests, in order. A candidate of an unknown problem throws.
 * `progress` receives how many of how many are done.
 */
export function measureCandidates(
  meter: Meter,
  problems: readonly PoolProblem[],
  candidates: readonly PoolCandidate[],
  progress: (done: number, all: number) => void = () => {},
): Promise<PoolCandidate[]> {
  const testsOf = new Map(problems.map(({ problem_id, tests }) => [problem_id, tests]));
  let done = 0;
  return mapBounded(candidates, meter.engine.concurrency, async (candidate) => {
    const tests = testsOf.get(candidate.problem_id);
    if (tests === undefined) throw new Error(`candidate ${candidate.candidate_id} refers to an unknown problem`);
    const measured = withMeasurement(candidate, await meter.measure(candidate, tests));
    progress(++done, candidates.length);
    return measured;
  });
}
