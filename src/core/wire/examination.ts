// Checks a program against a test in separate processes: one process runs the test without the program, and
// the other runs the program, which receives only calls and their arguments. Must not depend on services.
import type { ASSERTING, RunStatus } from "../judges/test-runs.ts";
import { TOLERANCE } from "../text/decimal-tokens.ts";
import { sameOutput } from "../text/printed-output.ts";
import { SCRIPTS } from "./programs.generated.ts";
import type { Ran, SandboxRun } from "./sandbox-apis.ts";

/**
 * Code that raises an error if a program is wrong. In the mode `single`, it runs as if typed at Python's
 * prompt.
 */
export interface ProgramTest {
  language: (typeof ASSERTING)[number];
  /** Cells, which are run in order and share their state. */
  cells: readonly string[];
  mode: "exec" | "single";
  /** The functions that the task asks for, if they are known. */
  functions: readonly string[];
  /** Whether the program gets LeetCode's imports. It also gets them if it defines a class Solution. */
  has_imports: boolean;
  /** Absolute or relative tolerance for floats on both sides of `==` in an assert; default: `TOLERANCE`. */
  tolerance?: number | undefined;
}

/** The result of an examination; null if the service failed. `shown` is the output of each cell. */
export type Finding =
  | { status: "pass"; shown: readonly string[] }
  | { status: Exclude<RunStatus, "pass"> | "unknown"; error: string }
  | null;

/** A run to make. Runs of the kind `test` do not contain the program, so equal input gives equal results. */
export interface Step {
  kind: "test" | "program";
  run: SandboxRun;
}

/**
 * Maximum number of runs of the program per test. Runs after the first are for calls that could not be
 * foreseen.
 */
const ROUNDS_MAX = 32;

type ExaminationStep = { ask: string[] } | { shown: string[] } | { failed: string } | { unknown: string };

/**
 * Yields the runs to make and receives their results. The test's code runs by itself. Its calls to the
 * program are made in another run and return as data, so that no object, name, frame or file in the program's
 * process contains the expected value or is compared with it.
 * @param mark a delimiter around the program's answers, new for each examination. A program that finds the
 * delimiter can only report different values, which it could have returned anyway
 */
export function* examine(
  program: string,
  test: ProgramTest,
  { stdin, timeout_ms, mark }: { stdin: string; timeout_ms: number; mark: string },
): Generator<Step, Finding, Ran> {
  const { language, cells, mode, functions, tolerance = TOLERANCE } = test;
  let asked: readonly string[] = [];
  let answers: unknown[] = [];
  for (let round = 0; round <= ROUNDS_MAX; round++) {
    const input = JSON.stringify({ cells, mode, functions, tolerance, asked, answers });
    const judged = yield { kind: "test", run: { code: TEST_CODE[language], language, stdin: input, timeout_ms } };
    if (judged.end === "infra") return null;
    const step = stepIn(judged);
    if (step === null) return failureOf(judged, "the test ended early");
    if ("shown" in step) return { status: "pass", shown: step.shown };
    if ("failed" in step) return { status: statusOfError(step.failed), error: step.failed };
    if ("unknown" in step) return { status: "unknown", error: step.unknown };
    asked = step.ask;
    const code = PROGRAM_CODE[language](program, asked, mark, test);
    const ran = yield { kind: "program", run: { code, language, stdin, timeout_ms } };
    if (ran.end === "infra") return null;
    const given = answersIn(ran, mark, asked.length);
    // A program that exited early has not answered, even if its exit code is 0.
    if (given === null) return failureOf(ran, "the program ended before it answered");
    answers = given;
  }
  return { status: "unknown", error: `the test calls the program more than ${ROUNDS_MAX} times` };
}

const TEST_CODE = {
  python: SCRIPTS.python.examine,
  javascript: `${SCRIPTS.javascript.examine}(require);\n`,
};

type ProgramCode = (program: string, asked: readonly string[], mark: string, test: ProgramTest) => string;

/** JSON is a valid literal in both languages. */
const PROGRAM_CODE: Record<ProgramTest["language"], ProgramCode> = {
  python(program, questions, mark, { has_imports }) {
    const asked = JSON.stringify({ source: program, questions, mark, has_imports });
    const names = `{"__name__": "__kritai__", "ASKED": ${JSON.stringify(asked)}}`;
    return `exec(compile(${JSON.stringify(SCRIPTS.python.harness)}, "harness.py", "exec"), ${names})\n`;
  },
  javascript(program, questions, mark) {
    const strict = /^\s*(?:"use strict"|'use strict')/.test(program) ? '"use strict";' : "";
    const answer = `__answer_${mark.replaceAll("-", "_")}`;
    const asked = questions.map((question) => `(refs) => (${question})`).join(",\n");
    const begin = `${strict}const ${answer} = ${SCRIPTS.javascript.harness}(${JSON.stringify(mark)});`;
    return `${begin}\n${program.toWellFormed()}\n;${answer}(${asked});\n`;
  },
};

/** Parses the last line that the test's run printed; returns null if the run failed. */
function stepIn({ end, exit_code, stdout }: Ran): ExaminationStep | null {
  if (end !== "exit" || exit_code !== 0) return null;
  try {
    return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as ExaminationStep;
  } catch {
    return null;
  }
}

function answersIn({ end, exit_code, stdout }: Ran, mark: string, count: number): unknown[] | null {
  if (end !== "exit" || exit_code !== 0) return null;
  try {
    const answers: unknown = JSON.parse(stdout.split(mark).at(-2) ?? "");
    return Array.isArray(answers) && answers.length === count ? answers : null;
  } catch {
    return null;
  }
}

const statusOfError = (name: string) =>
  name === "AssertionError" ? "fail" : name === "MemoryError" ? "memory" : "runtime";

/** Returns the kind of failure for a run that did not end as expected. */
function failureOf({ end, exit_code, stderr }: Ran, error: string): Exclude<Finding, null> {
  if (end === "timeout" || end === "compile") return { status: end, error: end };
  if (exit_code === 0) return { status: "fail", error };
  return { status: stderr.includes("MemoryError") ? "memory" : "runtime", error };
}

/** Compares the program's output with the expected output; returns null if the service failed. */
export function statusOf(ran: Ran, expected: string, tolerance?: number): RunStatus | "unknown" | null {
  if (ran.end === "infra") return null;
  if (ran.end !== "exit" || ran.exit_code !== 0) return failureOf(ran, "").status;
  return sameOutput(expected, ran.stdout, tolerance) ? "pass" : "fail";
}
