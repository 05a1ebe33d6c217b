// Asks a sandbox to run each candidate on every test case of its group.

import { type AskedQuestion, commonFault } from "../asking/asked-questions.ts";
import type { Plan } from "../asking/plan.ts";
import { FIRST } from "../asking/purpose.ts";
import type { Question } from "../asking/questions.ts";
import { factOf, type GroupFault } from "../asking/signal.ts";
import { valued, without } from "../asking/signal-value.ts";
import { programWithoutFence } from "../candidate/extract.ts";
import { answersOf, type PreparedGroup } from "../candidate/prepare.ts";
import { theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { ASSERTING, languageOf, RUN_STATUSES, type RunCase, type TestRuns } from "../judges/test-runs.ts";
import { createRandom, hashText, shuffled } from "../math/random.ts";
import { assertOf } from "./function-calls.ts";
import { type Lone, lonePlan, readingsOn, shownOnce } from "./lone-plan.ts";
import type { TestCase } from "./test-cases.ts";
import { counted, type TestResult, type TestsSettings, testsScore } from "./tests-score.ts";

const TIMEOUT_MS = 10_000;

export function ranBySandbox(group: PreparedGroup, settings: TestsSettings): Plan {
  const { shows, textIndices } = programsOf(group);
  const { texts } = shows ?? group;
  const { timeout_ms = TIMEOUT_MS, tolerance, cases_max } = settings;
  const cases = sampled(factOf<TestCase[]>(group.group, "test_cases") ?? [], cases_max, group.question);
  const language = languageOf(group.group.language ?? "");
  const runs: TestRuns = { cases: cases.map((held) => runOf(held, language, tolerance)), language, timeout_ms };
  if (tolerance !== undefined) runs.tolerance = tolerance;
  // A hash of the cases, so that question keys identify the cases without containing them.
  const preset = `tests-${hashText(JSON.stringify(runs))
    .map((lane) => lane.toString(36))
    .join("-")}`;
  const question = { to: "execute" as const, preset, runs, samples: cases.length, purpose: FIRST };
  return lonePlan({
    ...{ textIndices, ...(shows !== undefined && { shows }) },
    questions: texts.map((_, text): Question => ({ ...question, shown: [text] })),
    read: (seen) => (text) => {
      // A rollout without a program fails every test.
      if (text === null) return { value: valued(0), detail: null };
      const results = resultsOf(text, cases, seen);
      const score = testsScore(results, settings);
      const fault = score.code === "sandbox_failed" ? commonFault(seen, text) : null;
      const value = fault === "deadline" || fault === "cancelled" ? without(fault) : score;
      return { value, detail: counted(results) };
    },
  });
}

/**
 * The program of each rollout: the candidate, or an answer that is code outside a fence. If the candidates
 * are transcripts or diffs, which are not programs, the program is taken from the rollout's last message.
 */
function programsOf(group: PreparedGroup): Pick<Lone, "shows" | "textIndices"> {
  const isView = group.evidence?.isView === true;
  const answers = isView ? answersOf(group) : group.candidates;
  const programs = answers.map((program, r) => {
    if (group.formatOk[r] !== true) return null;
    return program ?? (isView ? null : programWithoutFence(group.group.rollouts[r]?.text ?? ""));
  });
  const isCandidate = programs.every((program, r) => (program === null) === (group.classes.classOf[r] === null));
  return isCandidate && !isView ? { textIndices: group.classes.classOf } : shownOnce(group.question, programs);
}

/** Returns the reason why a group's tests cannot be run; null if they can. */
export function casesFault(group: object, { cases_max }: TestsSettings): GroupFault | null {
  const cases = factOf<TestCase[]>(group, "test_cases");
  // Missing facts are reported elsewhere, all at once.
  if (cases === undefined) return null;
  if (cases.length > LIMITS.test_cases_max && cases_max === undefined) {
    return { path: "test_cases", message: `has ${cases.length} test cases; ${theLimit("test_cases_max")}` };
  }
  const language = factOf<string>(group, "language");
  const at = cases.findIndex(({ stdout }) => stdout === undefined);
  if (at < 0 || language === undefined || isAsserting(languageOf(language))) return null;
  const field = cases[at]?.assert === undefined ? "fn_name" : "assert";
  return { path: `test_cases[${at}].${field}`, message: `requires the language ${ASSERTING.join(" or ")}` };
}

const isAsserting = (language: string): language is (typeof ASSERTING)[number] =>
  ASSERTING.some((name) => name === language);

/**
 * A sample of the cases, in their original order. Seeded by the problem, so that every rollout gets the same
 * cases.
 */
function sampled(cases: readonly TestCase[], maxCases: number | undefined, question: string): readonly TestCase[] {
  if (maxCases === undefined || cases.length <= maxCases) return cases;
  const random = createRandom(hashText(question, JSON.stringify(cases)));
  const places = shuffled([...cases.keys()], random).slice(0, maxCases);
  return places.sort((a, b) => a - b).map((at) => cases[at] as TestCase);
}

/** Converts a case that calls a function to an assert in the program's language. */
export function runOf(held: TestCase, language: string, tolerance: number | undefined): RunCase {
  const { fn_name, stdin } = held;
  if (fn_name === undefined || !isAsserting(language)) return held;
  const accepted = held.tolerance ?? tolerance;
  return {
    ...(stdin !== undefined && { stdin }),
    assert: assertOf({ ...held, fn_name, tolerance: accepted }, language),
    function: fn_name,
    tolerance: accepted,
  };
}

/** One result per case, in order. If the sandbox failed to complete a run, its status is `infra`. */
function resultsOf(classIndex: number, cases: readonly TestCase[], seen: readonly AskedQuestion[]): TestResult[] {
  const readings = readingsOn(seen, classIndex);
  return cases.map(({ weight, group }, at) => {
    const verdict = readings.find(({ sample }) => sample === at)?.verdict;
    const label = verdict?.kind === "label" ? verdict.label : null;
    const status = RUN_STATUSES.find((known) => known === label) ?? "infra";
    return { status, weight, ...(group !== undefined && { group }) };
  });
}
