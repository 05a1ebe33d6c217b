// Checks a program against a test without letting them meet: runs of the test's own code, without the
// program, and of the program, which receives calls and their arguments alone. Must not know services.
import type { ASSERTING, RunStatus } from "../judges/test-runs.ts";
import { TOLERANCE } from "../text/decimal-tokens.ts";
import { sameOutput } from "../text/printed-output.ts";
import { SCRIPTS } from "./programs.generated.ts";
import type { Ran, SandboxRun } from "./sandbox-apis.ts";

/** Code that ends in an error where a program is wrong, or (`single`) as at Python's prompt. */
export interface ProgramTest {
  language: (typeof ASSERTING)[number];
  /** In one state. */
  cells: readonly string[];
  mode: "exec" | "single";
  /** The functions that the task asks for, where it is known. */
  functions: readonly string[];
  /** The program has LeetCode's imports, as it also has where it defines a class Solution. */
  has_imports: boolean;
  /** Absolute or relative, of floats on both sides of `==` in an assert; default: `TOLERANCE`. */
  tolerance?: number | undefined;
}

/** The result of an examination: `shown` is what each cell wrote; null where the service failed. */
export type Finding =
  | { status: "pass"; shown: readonly string[] }
  | { status: Exclude<RunStatus, "pass"> | "unknown"; error: string }
  | null;

/** A run that is to be made. Those of a `test` hold no program and end alike for equal input. */
export interface Step {
  kind: "test" | "program";
  run: SandboxRun;
}

/** Runs of the program for one test: those behind the first were not foreseen by the test. */
const ROUNDS_MAX = 32;

type ExaminationStep = { ask: string[] } | { shown: string[] } | { failed: string } | { unknown: string };

/**
 * Yields runs and receives their results. The test's code runs alone; its questions to the program are asked
 * of it in another run, and return as data, so that no object, name, frame or file of the program's process
 * holds, or compares with, what is expected.
 * @param mark a word around the program's answers, new for each examination; a program that finds it   can
 * only say other values, which it could have returned
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
    // A program that left early, however politely, has not answered.
    if (given === null) return failureOf(ran, "ended before it had answered");
    answers = given;
  }
  return { status: "unknown", error: `asks the program more than ${ROUNDS_MAX} times` };
}

const TEST_CODE = {
  python: SCRIPTS.python.examine,
  javascript: `${SCRIPTS.javascript.examine}(require);\n`,
};

type ProgramCode = (program: string, asked: readonly string[], mark: string, test: ProgramTest) => string;

/** JSON is a literal of both languages. */
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

/** The last output of the test's run; null where it did not end well. */
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

/** The program's failure that a run shows which did not end as it should. */
function failureOf({ end, exit_code, stderr }: Ran, error: string): Exclude<Finding, null> {
  if (end === "timeout" || end === "compile") return { status: end, error: end };
  if (exit_code === 0) return { status: "fail", error };
  return { status: stderr.includes("MemoryError") ? "memory" : "runtime", error };
}

/** Whether the program printed what it should; null where the service failed. */
export function statusOf(ran: Ran, expected: string, tolerance?: number): RunStatus | "unknown" | null {
  if (ran.end === "infra") return null;
  if (ran.end !== "exit" || ran.exit_code !== 0) return failureOf(ran, "").status;
  return sameOutput(expected, ran.stdout, tolerance) ? "pass" : "fail";
}
