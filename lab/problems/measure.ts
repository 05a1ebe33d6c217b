// The measuring of pass rates: every rollout's candidate on every test, in the CPU verifier's sandbox. Reads
// and writes no file.
import { parseLiteral, type Value } from "../../gpu-backend/engines/cpu/literals.ts";
import type { Sandbox } from "../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { runTests, type TestCase, type TestResult } from "../../gpu-backend/engines/cpu/test-cases.ts";
import { extractCandidate } from "../../src/core/candidate/extract.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { LENGTH_TOKENS_RULE, type PassRates, type ProblemMeasure, type RolloutMeasure } from "./groups.ts";
import type { Json, Problem, ProblemRollout, ProblemTest } from "./problem.ts";

/** CPU time and memory of one test; a right program of these problems needs some milliseconds. */
const LIMITS = { timeout_ms: 1_000, memory_mb: 256, output_bytes: 262_144 };

function toValue(json: Json): Value {
  const value = parseLiteral(JSON.stringify(json));
  if (value === undefined) throw new TypeError("not a literal that exists in both languages");
  return value;
}

/**
 * The test as the CPU verifier knows it. Calls are compared strictly, so 1 is not 1.0 in Python.
 */
export function toTestCase(test: ProblemTest): TestCase {
  if (test.kind === "stdio") return test;
  return { ...test, args: test.args.map(toValue), expected: toValue(test.expected), strict: true };
}

/**
 * `passed`, `wrong`, or the status of a run that did not end well. Throws when the sandbox itself
 * failed.
 */
function outcome({ passed, status, error }: TestResult): string {
  if (status === "unavailable") throw new Error(`the sandbox could not run a program: ${error}`);
  if (status !== "ok") return status;
  return passed ? "passed" : "wrong";
}

function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of [...outcomes].sort()) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

async function measureRollout(sandbox: Sandbox, problem: Problem, rollout: ProblemRollout): Promise<RolloutMeasure> {
  const { file } = rollout;
  const { candidate } = extractCandidate(rollout.text, DEFAULT_SPEC.candidate, problem.language);
  if (candidate === null) {
    return { file, candidate: false, samples_passed: 0, hidden_passed: 0, pass_rate: 0, failures: {} };
  }
  const program = { language: problem.language, source: candidate };
  const tests = [...problem.samples, ...problem.hidden].map(toTestCase);
  const outcomes = (await runTests(sandbox, program, tests, LIMITS)).map(outcome);
  const shown = tally(outcomes.slice(0, problem.samples.length));
  const { passed = 0, ...failures } = tally(outcomes.slice(problem.samples.length));
  return {
    file,
    candidate: true,
    samples_passed: shown.passed ?? 0,
    hidden_passed: passed,
    pass_rate: passed / problem.hidden.length,
    failures,
  };
}

/** One problem's rollouts on its shown and hidden tests. Rejects when the sandbox fails. */
export async function measureProblem(sandbox: Sandbox, problem: Problem): Promise<ProblemMeasure> {
  const rollouts = await Promise.all(problem.rollouts.map((rollout) => measureRollout(sandbox, problem, rollout)));
  return { samples: problem.samples.length, hidden: problem.hidden.length, rollouts };
}

/** All problems, one after the other. Rejects when the sandbox fails. */
export async function measureProblems(sandbox: Sandbox, problems: readonly Problem[]): Promise<PassRates> {
  const measured: PassRates["problems"] = {};
  for (const problem of problems) measured[problem.id] = await measureProblem(sandbox, problem);
  return { measured_by: "lab/problems/main.ts", length_tokens_rule: LENGTH_TOKENS_RULE, problems: measured };
}
