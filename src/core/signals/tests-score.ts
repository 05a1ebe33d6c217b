// Scores a program by its test results. Sandbox failures do not count as results.

import * as z from "zod";
import { said } from "#said";
import type { Detail } from "../asking/plan.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { SubtaskSchema, TestWeightSchema } from "./test-cases.ts";

const TEST_STATUSES = ["pass", "fail", "timeout", "runtime", "memory", "compile", "infra", "skipped"] as const;

export const TestSchema = z.strictObject({
  status: z
    .enum(TEST_STATUSES)
    .meta(
      said(
        "`infra`: the sandbox failed, so the program was not tested; `skipped`: not run because an earlier test failed",
      ),
    ),
  weight: TestWeightSchema,
  score: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta(said("partial credit, used by subtask_min; default 1 if the test passed, otherwise 0")),
  group: SubtaskSchema,
});
export type TestResult = z.output<typeof TestSchema>;

export const TESTS_SCORES = ["rate", "all_pass", "subtask_min", "rate_bonus", "outcome"] as const;

export interface TestsSettings {
  score: (typeof TESTS_SCORES)[number];
  bonus?: number | undefined;
  source?: "sandbox" | undefined;
  timeout_ms?: number | undefined;
  tolerance?: number | undefined;
  cases_max?: number | undefined;
}

export const BONUS = 0.1;

const passed = ({ status }: TestResult) => status === "pass";
const isInfra = ({ status }: TestResult) => status === "infra";
const weightOf = (tests: readonly TestResult[]) => tests.reduce((sum, { weight }) => sum + weight, 0);

/** Groups tests by subtask in order of appearance; tests without a subtask form one group. */
function subtasks(tests: readonly TestResult[]): TestResult[][] {
  const byName = new Map<string | undefined, TestResult[]>();
  for (const test of tests) byName.set(test.group, [...(byName.get(test.group) ?? []), test]);
  return [...byName.values()];
}

const creditOf = (test: TestResult) => test.score ?? (passed(test) ? 1 : 0);

/** The lowest credit; null if the sandbox failed on a test whose credit could be lower. */
function minCredit(tests: readonly TestResult[], credit: (test: TestResult) => number): number | null {
  const value = tests.reduce((worst, test) => (isInfra(test) ? worst : Math.min(worst, credit(test))), 1);
  return value > 0 && tests.some(isInfra) ? null : value;
}

/** How far a program got in a test, by the four outcomes of CodeRL (arXiv 2207.01780). */
const OUTCOMES: Readonly<Record<TestResult["status"], number>> = {
  compile: 0,
  runtime: 1 / 3,
  timeout: 1 / 3,
  memory: 1 / 3,
  fail: 2 / 3,
  skipped: 2 / 3,
  pass: 1,
  infra: 1,
};

const allPass = (tests: readonly TestResult[]) => minCredit(tests, (test) => (passed(test) ? 1 : 0));

/**
 * The score of a program:
 * - `all_pass`: 1 if every test passed, else 0.
 * - `rate`: weight of the passed tests divided by the weight of all tests, skipped ones included.
 * - `rate_bonus`: all_pass + bonus * rate (open-r1's weighted_sum).
 * - `subtask_min`: as in the IOI, the lowest credit within each subtask, then the weighted mean over
 *   subtasks.
 * - `outcome`: the outcome of the worst test.
 *
 * Null if results lost to sandbox failures could change the value.
 */
export function testsScore(tests: readonly TestResult[], { score, bonus = BONUS }: TestsSettings): Valued {
  if (tests.length === 0 || weightOf(tests) === 0) return without("no_tests");
  const lost = without("sandbox_failed");
  const all = allPass(tests);
  if (score === "all_pass") return all === null ? lost : valued(all);
  if (score === "outcome") {
    const worst = minCredit(tests, ({ status }) => OUTCOMES[status]);
    return worst === null ? lost : valued(worst);
  }
  if (score === "subtask_min") {
    const parts = subtasks(tests).map((test) => ({ weight: weightOf(test), score: minCredit(test, creditOf) }));
    if (parts.some((part) => part.score === null)) return lost;
    return valued(parts.reduce((sum, part) => sum + part.weight * (part.score as number), 0) / weightOf(tests));
  }
  if (tests.some(isInfra)) return lost;
  const rate = weightOf(tests.filter(passed)) / weightOf(tests);
  return valued(score === "rate" ? rate : (all as number) + bonus * rate);
}

/** Number of tests per status. */
export function counted(tests: readonly TestResult[]): Detail {
  const counts = TEST_STATUSES.map(
    (status) => [status, tests.filter((test) => test.status === status).length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
