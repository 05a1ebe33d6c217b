// The kind `tests`: the reward of a program by the results of its tests, which the caller sends or a sandbox
// has.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce, factOf, type Signal } from "../asking/signal.ts";
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
  .meta(said("results of the rollout's tests; needed by a signal of the kind tests"));

const SCHEMA = z.strictObject({
  score: z.enum(TESTS_SCORES).default("rate"),
  bonus: z.number().gt(0).max(1).optional().meta(said("of rate_bonus: what the rate adds to all_pass; default 0.1")),
  source: z
    .enum(["sent", "sandbox"])
    .optional()
    .meta(said("sent (default): the caller's results; sandbox: the deployment's sandbox runs the group's test_cases")),
  timeout_ms: z
    .int()
    .min(...bound("sandbox_timeout_ms_min"))
    .max(...bound("sandbox_timeout_ms_max"))
    .optional()
    .meta(said("of a sandbox: how long one run may take; default 10000")),
  tolerance: ToleranceSchema,
  cases_max: wholeFrom(1, "test_cases_max")
    .optional()
    .meta(said("of a sandbox: of more cases a sample of this many is run, the same for all rollouts of a group")),
});

/** Settings of a sandbox alone. */
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
      return { path: ["bonus"], message: `only rate_bonus has a bonus; ${score} does not` };
    }
    const unread = isRun(settings) ? undefined : OF_SANDBOX.find((name) => settings[name] !== undefined);
    return unread === undefined ? null : { path: [unread], message: 'only a sandbox has one: source "sandbox"' };
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
