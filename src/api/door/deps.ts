// The list of what the app and its routes are given. Interfaces only.

import type { AllowedModels } from "../../core/contract/allowed-models.ts";
import type { DeadLetterStore } from "../../core/contract/dead-letter.ts";
import type { FieldError } from "../../core/faults/errors.ts";
import type { Prices } from "../../core/load/prices.ts";
import type { RecentRankings } from "../../core/load/recent-rankings.ts";
import type { AnySpec } from "../../core/reward/compiled-spec.ts";
import type { Batches } from "../../objects/batches/view.ts";
import type { DeploymentCounts } from "../../objects/counts/remote.ts";
import type { GroupRooms } from "../../objects/gathering/gathering.ts";
import type { IdempotentReplies } from "../../objects/idempotency/reply.ts";
import type { RunObjects } from "../../objects/run-objects/run-objects.ts";
import type { Metrics } from "../../platform/counters.ts";
import type { KeyLimits } from "../../ports/key-limits.ts";
import type { Clock, SpecStore, TemplateStore, Verifier } from "../../ports/ports.ts";
import type { LogQueue, RunLog } from "../../ports/run-log.ts";
import type { AlarmWatch } from "../../scoring/alarm-watch.ts";
import type { AnswerStreaks } from "../../scoring/answer-streaks.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import type { KeyDigest, Scope } from "./auth.ts";
import type { InFlight } from "./in-flight.ts";

export interface AppDeps {
  verifier: Verifier;
  runLog: RunLog;
  specs: SpecStore;
  /** Absent: there are the built-in presets alone. */
  templates?: TemplateStore;
  /** Absent: entries are written to `runLog` before the reply. */
  logQueue?: LogQueue;
  /** Absent: this deployment has no queue, and so no dead letters. */
  deadLetters?: DeadLetterStore;
  /** Absent: the app counts by itself. */
  metrics?: Metrics;
  /** Absent: what this process counts is all that there is. */
  deploymentCounts?: DeploymentCounts | undefined;
  clock: Clock;
  /** Absent: groups of one-sample requests meet in this process. */
  rooms?: GroupRooms;
  /** Absent: Idempotency-Keys are known in this process. */
  replies?: IdempotentReplies;
  /** Absent: batches run in this process. */
  batches?: Batches;
  /** Absent: runs' lists of what holds something of them are in this process. */
  runObjects?: RunObjects;
  /** Absent: runs' alarms are not looked at when they are logged. */
  alarms?: AlarmWatch;
  /** The isolate's work under way. Absent: the app counts for itself. */
  inFlight?: InFlight | undefined;
  /** Absent: the app counts by itself. */
  answers?: AnswerStreaks | undefined;
  /** Absent: no key has limits. */
  keyLimits?: KeyLimits;
  /**
   * Samples of a prompt by key, where a one-sample request does not say. Absent: no key has a
   * default.
   */
  group_sizes?: ReadonlyMap<string, number> | undefined;
  /** The spec named `default`. Absent: every default of the contract. */
  default_spec?: AnySpec | undefined;
  /** A file of `public/` by its path there. Absent: documentation pages are not served. */
  assets?: (path: string) => Promise<Response>;
  /** Absent: a key may name any model. */
  models?: AllowedModels;
  /** Empty: open, on a loopback host only. */
  keys: readonly KeyDigest[];
  /** The most that a key in a path may do. Absent: all that it may. */
  path_scopes?: readonly Scope[] | undefined;
  /** Which of several this is, 0 to 15: what it counts by itself, its ids say. Absent: there is one. */
  replica?: number | undefined;
  /** The secret that signs tokens. Absent: the deployment has no tokens. */
  token_secret?: Uint8Array | undefined;
  /** Variables that are wrong; while there are any, only the public routes answer. */
  faults?: readonly FieldError[];
  /** Takes structured log lines, which never hold a key or a model's text. */
  report?: (line: Record<string, unknown>) => void;
  /** Whether prompts and rollouts are stored where a spec does not say. Absent: they are not. */
  log_texts?: boolean | undefined;
  /** US dollars by model. Absent: no reply says what it costs. */
  prices?: Prices | undefined;
  /** Whether each request leaves a log line. */
  log_requests?: boolean;
}

export interface RouteDeps extends AppDeps, Omit<JudgingDeps, "alarms" | "runObjects"> {
  report: JudgingDeps["report"];
  metrics: Metrics;
  rooms: GroupRooms;
  replies: IdempotentReplies;
  batches: Batches;
  runObjects: RunObjects;
  /** Queries that this isolate ranked lately. */
  rankings: RecentRankings;
}
