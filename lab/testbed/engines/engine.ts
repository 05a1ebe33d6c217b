// The seam between measuring and whatever executes programs: what an engine is asked and what it may answer.
import type { PoolTest } from "../format/pool-format.ts";

export interface Program {
  language: string;
  code: string;
}

/**
 * How one test ended. `unmeasured`: the engine failed or cannot ask this test, so nothing is known
 * of the program.
 */
export type TestOutcome = "passed" | "wrong" | "error" | "timeout" | "memory" | "output_limit" | "unmeasured";

export interface TestRun {
  outcome: TestOutcome;
  /** Why nothing is known, for people; null unless `unmeasured`. */
  reason: string | null;
}

export interface ExecutionEngine {
  /** Enters the key under which pass rates are kept: its kind and whatever changes its answers. */
  readonly name: string;
  /** Programs worth giving it at once. */
  readonly concurrency: number;
  runs(language: string): boolean;
  /**
   * One run a test, in order. Never rejects for what the program does or for the engine's own
   * failure.
   */
  run(program: Program, tests: readonly PoolTest[]): Promise<TestRun[]>;
  close(): Promise<void>;
}

export const unmeasured = (reason: string): TestRun => ({ outcome: "unmeasured", reason });
