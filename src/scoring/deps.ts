// Dependencies of judging and logging a request. Interfaces only.

import type { Prices } from "../core/load/prices.ts";
import type { Metrics } from "../platform/counters.ts";
import type { KeyLimits } from "../ports/key-limits.ts";
import type { Clock, Verifier } from "../ports/ports.ts";
import type { LogQueue, RunLog } from "../ports/run-log.ts";
import type { AlarmWatch } from "./alarm-watch.ts";
import type { AnswerStreaks } from "./answer-streaks.ts";
import type { HeldWork } from "./held-work.ts";

/** Dependencies of judging and logging a request; optional ones switch a feature off if omitted. */
export interface JudgingDeps {
  verifier: Verifier;
  runLog: RunLog;
  /** Omitted: entries are written to `runLog` before the reply. */
  logQueue?: LogQueue;
  /** Records the usage of a key's requests. Omitted: keys have no limits. */
  keyLimits?: KeyLimits;
  /** Prices by model, US dollars. Omitted: no reply has a cost. */
  prices?: Prices | undefined;
  /**
   * Evaluates the alarms of runs whose rows were stored before the reply. Omitted: no alarms are evaluated.
   */
  alarms?: Pick<AlarmWatch, "look">;
  /**
   * Counts the memory that gathered groups and batches hold in their isolate. Omitted: memory is not counted.
   */
  held?: HeldWork | undefined;
  /** Counts a run's consecutive rollouts without an answer. Omitted: each request is counted separately. */
  answers?: AnswerStreaks | undefined;
  /** Whether a gathering group is judged early, from its second member on. */
  early_judging?: boolean;
  /** Whether prompts and rollouts are stored if a spec does not say. Omitted: not stored. */
  log_texts?: boolean | undefined;
  clock: Clock;
  metrics: Metrics;
  report: (line: Record<string, unknown>) => void;
}
