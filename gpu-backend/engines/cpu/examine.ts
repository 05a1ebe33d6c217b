// Runs tests on a program from outside the program, in the embedded sandbox. The sequence of runs is defined
// in src/core/wire/examination.ts.
import { randomUUID } from "node:crypto";
import { examine, type Finding, type ProgramTest } from "../../../src/core/wire/examination.ts";
import type { Ran } from "../../../src/core/wire/sandbox-apis.ts";
import { TestMemory } from "../../../src/core/wire/test-memory.ts";
import type { RunLimits, RunResult } from "./sandbox/protocol.ts";
import { DEFAULT_LIMITS, type Program, type Sandbox } from "./sandbox/sandbox.ts";

/** Runs tests whose code the program must not see, except for the arguments of its calls. */
export class Examiner {
  readonly #sandbox: Sandbox;
  readonly #memory = new TestMemory();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Examines a program. `wall_ms` is the time of the program's runs only. */
  async examine(
    program: Program,
    test: ProgramTest,
    limits: Partial<RunLimits>,
    signal?: AbortSignal,
  ): Promise<{ finding: Finding; wall_ms: number }> {
    const { timeout_ms } = { ...DEFAULT_LIMITS, ...limits };
    const steps = examine(program.source, test, { stdin: "", timeout_ms, mark: randomUUID() });
    let wall_ms = 0;
    let step = steps.next();
    while (step.done !== true) {
      const { kind, run } = step.value;
      let ran = this.#memory.get(step.value);
      if (ran === undefined) {
        const { code: source, stdin } = run;
        const asked = [{ stdin, cells: [], as_script: true }];
        const [result] = await this.#sandbox.runPlans(
          { ...program, language: test.language, source },
          asked,
          limits,
          signal,
        );
        if (!result) throw new Error("expected exactly one result for one plan");
        if (kind === "program") wall_ms += result.wall_ms;
        ran = ranOf(result);
        this.#memory.set(step.value, ran);
      }
      step = steps.next(ran);
    }
    return { finding: step.value, wall_ms };
  }
}

/** Exit status of a process that the kernel killed for its memory use. */
const KILLED = 137;

/** Converts a run into the form of a sandbox service. A missing package counts as the program's error. */
export function ranOf({ status, stdout, stderr_tail, error }: RunResult): Ran {
  if (status === "unavailable") return { end: "infra", exit_code: 1, stdout: "", stderr: error ?? status };
  const stderr = status === "memory" ? `${stderr_tail}\nMemoryError` : stderr_tail || (error ?? "");
  const exit_code = status === "ok" ? 0 : status === "memory" ? KILLED : 1;
  return { end: status === "timeout" ? "timeout" : "exit", exit_code, stdout, stderr };
}
