// The ports and settings that judging and logging a request depend on. Contains interfaces only.

import type { Prices } from "../core/load/prices.ts";
import type { Metrics } from "../platform/counters.ts";
import type { KeyLimits } from "../ports/key-limits.ts";
import type { Clock, Timers, Verifier } from "../ports/ports.ts";
import type { LogQueue, RunLog } from "../ports/run-log.ts";
import type { AlarmWatch } from "./alarm-watch.ts";
import type { AnswerStreaks } from "./answer-streaks.ts";
import type { HeldWork } from "./held-work.ts";
import type { LastSteps } from "./last-steps.ts";

/** Dependencies for judging and logging a request. Omitting an optional one disables its feature. */
export interface JudgingDeps {
  verifier: Verifier;
  runLog: RunLog;
  /** Omitted: entries are written to `runLog` before the reply. */
  logQueue?: LogQueue;
  /** Records the usage of each API key. Omitted: keys have no limits. */
  keyLimits?: KeyLimits;
  /** Prices by model, US dollars. Omitted: no reply has a cost. */
  prices?: Prices | undefined;
  /**
   * Evaluates the alarms of runs whose rows were stored before the reply. Omitted: no alarms are evaluated.
   */
  alarms?: Pick<AlarmWatch, "look">;
  /** Limits the memory of gathered groups and batches in their isolate. Omitted: memory is not limited. */
  held?: HeldWork | undefined;
  /** Counts a run's consecutive rollouts without an answer. Omitted: each request is counted separately. */
  answers?: AnswerStreaks | undefined;
  /** Warns if a run's steps go back. Omitted: no warning. */
  steps?: LastSteps | undefined;
  /** Whether a gathered group is judged before it is complete, starting with its second sample. */
  early_judging?: boolean;
  /** Whether prompts and rollouts are stored if the spec does not set `log_texts`. Omitted: not stored. */
  log_texts?: boolean | undefined;
  clock: Clock;
  timers: Timers;
  metrics: Metrics;
  report: (line: Record<string, unknown>) => void;
}
