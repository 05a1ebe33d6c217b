// The kinds of sample tests, how each is run on a program, and when a program passes.

import { sameOutput } from "../../../src/core/text/printed-output.ts";
import type { Finding, ProgramTest } from "../../../src/core/wire/examination.ts";
import { readEmitted } from "./emitted.ts";
import { Examiner } from "./examine.ts";
import { sameValue, type Value, writeLiteral } from "./literals.ts";
import type { Language, RunLimits, RunPlan, RunResult, RunStatus } from "./sandbox/protocol.ts";
import type { Program, Sandbox } from "./sandbox/sandbox.ts";

export type TestCase =
  /**
   * The program reads `input` and must write `output`. `exact`: decimal fractions must be written
   * identically.
   */
  | { kind: "stdio"; input: string; output: string; exact?: boolean | undefined }
  /**
   * A function must return `expected` for `args`. `strict`: the values must be equal as by Python's `==`;
   * otherwise a list equals a tuple, and float rounding is ignored. `types`: in Python, 1, 1.0 and True also
   * differ.
   */
  | { kind: "call"; function: string; args: Value[]; expected: Value; strict: boolean; types?: boolean }
  /**
   * Python statements that raise if the program is wrong. `function`: the function that the statement asks
   * for, if known.
   */
  | { kind: "python-assert"; code: string; function?: string }
  /** Python interpreter examples, run in order with shared state. */
  | { kind: "doctest"; examples: { code: string; expected: string }[]; function?: string };

export interface TestResult {
  passed: boolean;
  /** `unknown`: the test cannot be checked from outside the program. */
  status: RunStatus | "unknown";
  /**
   * One human-readable line; null if the run ended normally. May contain text from the program, so it must be
   * escaped when shown.
   */
  error: string | null;
  wall_ms: number;
}

type Check = { passed: (result: RunResult) => boolean; plan: RunPlan } | Asked;

/** A test whose code runs outside the program. */
interface Asked {
  examination: ProgramTest;
  shows: (shown: readonly string[]) => boolean;
}

/** After this many timeouts of a program, its remaining tests count as timed out. */
const TIMEOUTS_MAX = 2;

const examiners = new WeakMap<Sandbox, Examiner>();

function examinerOf(sandbox: Sandbox): Examiner {
  const examiner = examiners.get(sandbox) ?? new Examiner(sandbox);
  examiners.set(sandbox, examiner);
  return examiner;
}

/** Whether a test can be run on programs in this language. */
export function isTestable(test: TestCase, language: Language): boolean {
  return language === "python" || test.kind === "stdio" || test.kind === "call";
}

/**
 * Runs a program on the tests, each from a clean state. Returns one result per test, in order. A test that
 * does not fit the language, or that the sandbox failed to run, has the status `unavailable`.
 * @param limits timeout_ms is CPU time per test
 */
export async function runTests(
  sandbox: Sandbox,
  program: Program,
  tests: readonly TestCase[],
  limits: Partial<RunLimits> = {},
  signal?: AbortSignal,
): Promise<TestResult[]> {
  const checks = tests.map((test) => (isTestable(test, program.language) ? checkOf(test, program.language) : null));
  const plans = checks.flatMap((check) => (check && "plan" in check ? check.plan : []));
  const ran = (await sandbox.runPlans(program, plans, limits, signal))[Symbol.iterator]();
  const results: TestResult[] = [];
  for (const check of checks) {
    if (check === null) results.push(withoutRun("unavailable", "the test case does not support this language"));
    else if ("plan" in check) results.push(resultOf(check, ran.next().value as RunResult));
    else if (results.filter(({ status }) => status === "timeout").length >= TIMEOUTS_MAX)
      results.push(withoutRun("timeout", `not run: ${TIMEOUTS_MAX} earlier runs timed out`));
    else results.push(await examined(sandbox, program, check, limits, signal));
  }
  return results;
}

const withoutRun = (status: TestResult["status"], error: string): TestResult => ({
  passed: false,
  status,
  error,
  wall_ms: 0,
});

function resultOf(check: Exclude<Check, Asked>, result: RunResult): TestResult {
  const { status, error, wall_ms } = result;
  return { passed: status === "ok" && check.passed(result), status, error, wall_ms };
}

async function examined(
  sandbox: Sandbox,
  program: Program,
  { examination, shows }: Asked,
  limits: Partial<RunLimits>,
  signal: AbortSignal | undefined,
): Promise<TestResult> {
  const { finding, wall_ms } = await examinerOf(sandbox).examine(program, examination, limits, signal);
  if (finding === null) return withoutRun("unavailable", "the sandbox did not run the test");
  if (finding.status === "pass") return { passed: shows(finding.shown), status: "ok", error: null, wall_ms };
  return { passed: false, status: STATUS_OF[finding.status], error: finding.error, wall_ms };
}

/** Run status of a failed finding. `ok`: the run ended normally, but the program failed the test. */
const STATUS_OF: Record<Exclude<NonNullable<Finding>["status"], "pass">, TestResult["status"]> = {
  fail: "ok",
  runtime: "error",
  compile: "error",
  timeout: "timeout",
  memory: "memory",
  unknown: "unknown",
};

function checkOf(test: TestCase, language: Language): Check {
  switch (test.kind) {
    case "stdio":
      return {
        plan: { stdin: test.input, cells: [], as_script: true },
        passed: (result) => sameOutput(test.output, result.stdout, test.exact === true ? null : undefined),
      };
    case "call":
      return callCheck(test, language);
    case "python-assert":
      return { examination: asked(test, [test.code], "exec"), shows: () => true };
    case "doctest": {
      const cells = test.examples.map(({ code }) => `${code}\n`);
      return {
        examination: asked(test, cells, "single"),
        shows: (shown) => test.examples.every(({ expected }, i) => sameOutput(expected, shown[i] ?? "", null)),
      };
    }
  }
}

const asked = (test: { function?: string }, cells: readonly string[], mode: ProgramTest["mode"]): ProgramTest => {
  const functions = test.function === undefined ? [] : [test.function];
  return { language: "python", cells, mode, functions, has_imports: false };
};

/**
 * Keeps the expected value out of the program's reach: the program sees only the arguments, and its result is
 * compared here. A program therefore cannot pass by printing, by exiting early, or with an object that claims
 * to be equal.
 */
function callCheck(test: TestCase & { kind: "call" }, language: Language): Check {
  const args = test.args.map((value) => writeLiteral(value, language)).join(", ");
  return {
    plan: { stdin: "", cells: [{ name: test.function, args }], as_script: false },
    passed: (result) => {
      const actual = readEmitted(result.cells[0]?.value ?? "");
      const strict = test.strict && language === "python";
      return (
        actual !== undefined &&
        sameValue(test.expected, actual, { strict, types: test.types === true && language === "python" })
      );
    },
  };
}
