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

/** Dependencies for judging and logging a request. Null: the deployment does not have the feature. */
export interface JudgingDeps {
  verifier: Verifier;
  runLog: RunLog;
  /** Null: entries are written to `runLog` before the reply. */
  logQueue: LogQueue | null;
  /** Records the usage of each API key. Null: keys have no limits. */
  keyLimits: KeyLimits | null;
  /** Prices by model, US dollars. Null: no reply has a cost. */
  prices: Prices | null;
  /** Evaluates the alarms of runs whose rows were stored before the reply. Null: no alarms are evaluated. */
  alarms: Pick<AlarmWatch, "look"> | null;
  /** Limits the memory of gathered groups and batches in their isolate. */
  held: HeldWork;
  /** Counts a run's consecutive rollouts without an answer. */
  answers: AnswerStreaks;
  /** Warns if a run's steps go back. */
  steps: LastSteps;
  /** Whether a gathered group is judged before it is complete, starting with its second sample. */
  early_judging: boolean;
  /** Whether prompts and rollouts are stored if the spec does not set `log_texts`. */
  log_texts: boolean;
  clock: Clock;
  timers: Timers;
  metrics: Metrics;
  report: (line: Record<string, unknown>) => void;
}
