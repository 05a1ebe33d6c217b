// The kind `tests`: scores a program by its test results, which the caller sends or a sandbox produces.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce } from "../asking/plan.ts";
import { factOf, type Signal } from "../asking/signal.ts";
import { wholeFrom } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { UNSAMPLED } from "./lone-judge.ts";
import { TestCasesSchema, ToleranceSchema } from "./test-cases.ts";
import { casesFault, ranBySandbox } from "./tests-run.ts";
import {
  BONUS,
  counted,
  TESTS_SCORES,
  type TestResult,
  TestSchema,
  type TestsSettings,
  testsScore,
} from "./tests-score.ts";

const TestsSchema = z
  .array(TestSchema)
  .max(...bound("tests_max"))
  .meta(said("results of the rollout's tests; required by a signal of kind tests"));

const SCHEMA = z.strictObject({
  score: z.enum(TESTS_SCORES).default("rate"),
  bonus: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .meta(said("for rate_bonus: weight of the pass rate that is added to all_pass; default 0.1")),
  source: z
    .enum(["sent", "sandbox"])
    .optional()
    .meta(said("sent (default): the caller's results; sandbox: the deployment's sandbox runs the group's test_cases")),
  timeout_ms: z
    .int()
    .min(...bound("sandbox_timeout_ms_min"))
    .max(...bound("sandbox_timeout_ms_max"))
    .optional()
    .meta(said("timeout of one sandbox run in milliseconds; default 10000")),
  tolerance: ToleranceSchema,
  cases_max: wholeFrom(1, "test_cases_max")
    .optional()
    .meta(
      said(
        "maximum test cases that a sandbox runs; from a longer list, it runs a sample that is the same for all rollouts of a group",
      ),
    ),
});

/** Settings that apply only to a sandbox. */
const OF_SANDBOX = ["timeout_ms", "tolerance", "cases_max"] as const;

const isRun = ({ source }: TestsSettings) => source === "sandbox";

export const tests: Signal<TestsSettings> = {
  kind: "tests",
  schema: SCHEMA,
  fields: { group: { test_cases: TestCasesSchema }, rollout: { tests: TestsSchema } },
  to: () => "execute",
  canonical(settings) {
    const { source, ...rest } = settings as unknown as z.output<typeof SCHEMA>;
    return { ...rest, ...(source === "sandbox" && { source }) };
  },
  fault(settings) {
    const { score, bonus } = settings;
    if (bonus !== undefined && score !== "rate_bonus") {
      return { path: ["bonus"], message: `only rate_bonus uses a bonus; ${score} does not` };
    }
    const unread = isRun(settings) ? undefined : OF_SANDBOX.find((name) => settings[name] !== undefined);
    return unread === undefined ? null : { path: [unread], message: 'has no effect without source "sandbox"' };
  },
  groupFault: (settings, group) => (isRun(settings) ? casesFault(group, settings) : null),
  relative: false,
  verified: true,
  judge: (settings) => (isRun(settings) ? UNSAMPLED : null),
  facts: (settings) => (isRun(settings) ? ["group.test_cases", "group.language"] : ["tests"]),
  range: ({ score, bonus = BONUS }) => [0, score === "rate_bonus" ? 1 + bonus : 1],
  open(group, settings) {
    if (isRun(settings)) return ranBySandbox(group, settings);
    const results = group.group.rollouts.map((rollout) => factOf<TestResult[]>(rollout, "tests") ?? []);
    return answeredAtOnce(
      () => results.map((result) => testsScore(result, settings)),
      () => results.map(counted),
    );
  },
};
