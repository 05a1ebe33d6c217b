// Completes the dependencies for judging: the only place that fills in their defaults.

import { Metrics } from "../platform/counters.ts";
import { printLine } from "../platform/report.ts";
import { AnswerStreaks } from "./answer-streaks.ts";
import type { JudgingDeps } from "./deps.ts";
import { UNBOUNDED_WORK } from "./held-work.ts";
import { LastSteps } from "./last-steps.ts";

type Needed = "verifier" | "runLog" | "clock" | "timers";

/** Dependencies of which only a few are given. What is undefined has its default. */
type GivenJudging = Pick<JudgingDeps, Needed> & {
  [K in Exclude<keyof JudgingDeps, Needed>]?: JudgingDeps[K] | undefined;
};

/** Fills in what is not given: features that need a service are off. */
export const completeJudging = (given: GivenJudging): JudgingDeps => ({
  verifier: given.verifier,
  runLog: given.runLog,
  clock: given.clock,
  timers: given.timers,
  metrics: given.metrics ?? new Metrics(),
  report: given.report ?? printLine,
  logQueue: given.logQueue ?? null,
  keyLimits: given.keyLimits ?? null,
  prices: given.prices ?? null,
  alarms: given.alarms ?? null,
  held: given.held ?? UNBOUNDED_WORK,
  answers: given.answers ?? new AnswerStreaks(),
  steps: given.steps ?? new LastSteps(),
  early_judging: given.early_judging ?? false,
  log_texts: given.log_texts ?? false,
});
