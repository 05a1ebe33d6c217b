// The list of what judging and logging a request take. Interfaces only.

import type { Prices } from "../core/load/prices.ts";
import type { Metrics } from "../platform/counters.ts";
import type { KeyLimits } from "../ports/key-limits.ts";
import type { Clock, Verifier } from "../ports/ports.ts";
import type { LogQueue, RunLog } from "../ports/run-log.ts";
import type { AlarmWatch } from "./alarm-watch.ts";
import type { AnswerStreaks } from "./answer-streaks.ts";
import type { HeldWork } from "./held-work.ts";

/** The parts for judging and logging a request. */
export interface JudgingDeps {
  verifier: Verifier;
  runLog: RunLog;
  /** Absent: entries are written to `runLog` before the reply. */
  logQueue?: LogQueue;
  /** Books what a key's requests used. Absent: no key has limits. */
  keyLimits?: KeyLimits;
  /** US dollars by model. Absent: no reply has a cost. */
  prices?: Prices | undefined;
  /** Looks at runs whose rows were stored before the reply. Absent: alarms are not looked at. */
  alarms?: Pick<AlarmWatch, "look">;
  /** Counts the memory that gathered groups and batches hold in their isolate. Absent: it is not counted. */
  held?: HeldWork | undefined;
  /** Rollouts of runs without an answer. Absent: each request is counted by itself. */
  answers?: AnswerStreaks | undefined;
  /** Groups that gather are asked about from their second member on. */
  early_judging?: boolean;
  /** Whether prompts and rollouts are stored where a spec does not say. Absent: they are not. */
  log_texts?: boolean | undefined;
  clock: Clock;
  metrics: Metrics;
  report: (line: Record<string, unknown>) => void;
}
