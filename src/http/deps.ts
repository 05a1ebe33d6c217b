// Owns the list of what the app and its routes are given. Interfaces only.
import type { KeyDigest } from "../auth.ts";
import type { Batches, Webhooks } from "../core/batch.ts";
import type { FieldError } from "../core/errors.ts";
import type { IdempotentReplies } from "../core/idempotent-reply.ts";
import type { KeyLimits } from "../core/key-limits.ts";
import type { Clock, DeadLetters, GroupRooms, LogQueue, RunLog, SpecStore, Verifier } from "../ports.ts";
import type { Metrics } from "./metrics.ts";

export interface AppDeps {
  verifier: Verifier;
  runLog: RunLog;
  specs: SpecStore;
  /** Absent: entries are written to `runLog` before the reply. */
  logQueue?: LogQueue;
  /** Absent: this deployment has no queue, and so no dead letters. */
  deadLetters?: DeadLetters;
  /** Absent: the app counts by itself. */
  metrics?: Metrics;
  clock: Clock;
  /** Absent: groups of one-sample requests meet in this process. */
  rooms?: GroupRooms;
  /** Absent: Idempotency-Keys are known in this process. */
  replies?: IdempotentReplies;
  /** Absent: batches run in this process. */
  batches?: Batches;
  /** Absent: no request may ask for a webhook. */
  webhooks?: Webhooks;
  /** Absent: no key has limits. */
  keyLimits?: KeyLimits;
  /** Empty: open, on a loopback host only. */
  keys: readonly KeyDigest[];
  /** Variables that are wrong; while there are any, only the public routes answer. */
  faults?: readonly FieldError[];
  /** Takes structured log lines, which never hold a key or a model's text. */
  report?: (line: Record<string, unknown>) => void;
  /** Whether each request leaves a log line. */
  log_requests?: boolean;
}

/** What judging and logging a request take. */
export interface JudgingDeps extends Pick<AppDeps, "verifier" | "runLog" | "logQueue" | "keyLimits" | "clock"> {
  metrics: Metrics;
  report: (line: Record<string, unknown>) => void;
}

export interface RouteDeps extends AppDeps, JudgingDeps {
  report: JudgingDeps["report"];
  metrics: Metrics;
  rooms: GroupRooms;
  replies: IdempotentReplies;
  batches: Batches;
}
