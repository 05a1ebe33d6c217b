// Owns asking a sandbox for the results of tests: each candidate on each of its group's cases.

import { type AskedQuestion, commonFault } from "../asking/asked-questions.ts";
import type { Question } from "../asking/questions.ts";
import { factOf, type Plan } from "../asking/signal.ts";
import { valued, without } from "../asking/signal-value.ts";
import { answersOf, type PreparedGroup } from "../candidate/prepare.ts";
import { ApiError } from "../faults/errors.ts";
import { ASSERTING, languageOf, RUN_STATUSES } from "../judges/test-runs.ts";
import { hashText } from "../math/random.ts";
import { type Lone, lonePlan, readingsOn, shownOnce } from "./lone-plan.ts";
import type { TestCase } from "./test-cases.ts";
import { counted, type TestResult, type TestsSettings, testsScore } from "./tests-score.ts";

const TIMEOUT_MS = 10_000;

/** Throws ApiError for a group whose tests cannot be run. */
export function ranBySandbox(group: PreparedGroup, settings: TestsSettings): Plan {
  const { shows, of } = programsOf(group);
  const { texts } = shows ?? group;
  const { timeout_ms = TIMEOUT_MS } = settings;
  const { cases, language } = runnable(group);
  const runs = { cases, language, timeout_ms };
  // Names the cases in the keys of what is asked, without their texts.
  const preset = `tests-${hashText(JSON.stringify(runs))
    .map((lane) => lane.toString(36))
    .join("-")}`;
  const question = { to: "execute" as const, preset, runs, samples: cases.length };
  return lonePlan({
    ...{ of, ...(shows !== undefined && { shows }) },
    questions: texts.map((_, text): Question => ({ ...question, shown: [text] })),
    read: (seen) => (text) => {
      // No program passes nothing.
      if (text === null) return { value: valued(0), detail: null };
      const results = resultsOf(text, cases, seen);
      const score = testsScore(results, settings);
      const fault = score.code === "sandbox_failed" ? commonFault(seen, text) : null;
      const value = fault === "deadline" || fault === "cancelled" ? without(fault) : score;
      return { value, detail: counted(results) };
    },
  });
}

/** The candidates; beside transcripts and diffs, which are no programs, what each rollout says last. */
function programsOf(group: PreparedGroup): Pick<Lone, "shows" | "of"> {
  if (group.evidence?.isView !== true) return { of: group.classes.classOf };
  const programs = answersOf(group).map((program, r) => (group.formatOk[r] === true ? program : null));
  return shownOnce(group.question, programs);
}

function runnable({ group, index }: PreparedGroup): { cases: readonly TestCase[]; language: string } {
  const cases = factOf<TestCase[]>(group, "test_cases") ?? [];
  const language = languageOf(group.language ?? "");
  const refuse = (field: string, message: string) => {
    const path = `groups[${index}].${field}`;
    throw new ApiError("invalid_request", `${path}: ${message}.`, { errors: [{ path, message }] });
  };
  if (cases.length === 0) refuse("test_cases", "required");
  const asserts = cases.findIndex(({ assert }) => assert !== undefined);
  if (asserts >= 0 && !ASSERTING.some((name) => name === language)) {
    refuse(`test_cases[${asserts}].assert`, `needs a language of ${ASSERTING.join(" and ")}`);
  }
  return { cases, language };
}

/** One a case, in their order. What the sandbox failed at is `infra`. */
function resultsOf(classIndex: number, cases: readonly TestCase[], seen: readonly AskedQuestion[]): TestResult[] {
  const readings = readingsOn(seen, classIndex);
  return cases.map(({ weight, group }, at) => {
    const verdict = readings.find(({ sample }) => sample === at)?.verdict;
    const label = verdict?.kind === "label" ? verdict.label : null;
    const status = RUN_STATUSES.find((known) => known === label) ?? "infra";
    return { status, weight, ...(group !== undefined && { group }) };
  });
}
