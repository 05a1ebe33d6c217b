// The ports and settings that the app and its routes depend on. Contains interfaces only.

import type { AllowedModels } from "../../core/contract/allowed-models.ts";
import type { DeadLetterStore } from "../../core/contract/dead-letter.ts";
import type { FieldError } from "../../core/faults/errors.ts";
import type { Prices } from "../../core/load/prices.ts";
import type { RecentRankings } from "../../core/load/recent-rankings.ts";
import type { Spec } from "../../core/reward/spec.ts";
import type { Batches } from "../../objects/batches/view.ts";
import type { DeploymentCounts } from "../../objects/counts/remote.ts";
import type { GroupRooms } from "../../objects/gathering/gathering.ts";
import type { IdempotentReplies } from "../../objects/idempotency/reply.ts";
import type { RunObjects } from "../../objects/run-objects/run-objects.ts";
import type { Metrics } from "../../platform/counters.ts";
import type { KeyLimits } from "../../ports/key-limits.ts";
import type { Clock, SpecStore, TemplateStore, Timers, Verifier } from "../../ports/ports.ts";
import type { ReadProbes } from "../../ports/read-probes.ts";
import type { LogQueue, RunLog } from "../../ports/run-log.ts";
import type { AlarmWatch } from "../../scoring/alarm-watch.ts";
import type { AnswerStreaks } from "../../scoring/answer-streaks.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import type { LastSteps } from "../../scoring/last-steps.ts";
import type { KeyDigest, Scope } from "./auth.ts";
import type { InFlight } from "./in-flight.ts";

export interface AppDeps {
  verifier: Verifier;
  runLog: RunLog;
  specs: SpecStore;
  /** Omitted: only the built-in presets exist. */
  templates?: TemplateStore;
  /** Omitted: entries are written to `runLog` before the reply. */
  logQueue?: LogQueue;
  /** Omitted: the deployment has no queue and therefore no dead letters. */
  deadLetters?: DeadLetterStore;
  /** Omitted: the app creates its own metrics. */
  metrics?: Metrics;
  /** Omitted: only this process's counters are reported. */
  deploymentCounts?: DeploymentCounts | undefined;
  /** Omitted: decision models are not probed for what they read. */
  readProbes?: ReadProbes | undefined;
  clock: Clock;
  timers: Timers;
  /** Omitted: groups of one-sample requests are gathered in this process. */
  rooms?: GroupRooms;
  /** Omitted: Idempotency-Keys are stored in this process. */
  replies?: IdempotentReplies;
  /** Omitted: batches run in this process. */
  batches?: Batches;
  /** Omitted: the lists of objects that contain data of a run are kept in this process. */
  runObjects?: RunObjects;
  /** Omitted: alarms are not evaluated when runs are logged. */
  alarms?: AlarmWatch;
  /** Counts the isolate's work in flight. Omitted: the app creates its own counter. */
  inFlight?: InFlight | undefined;
  /** Counts consecutive rollouts without an answer. Omitted: the app creates its own counter. */
  answers?: AnswerStreaks | undefined;
  /** Remembers the steps of runs. Omitted: the app creates its own memory. */
  steps?: LastSteps | undefined;
  /** Omitted: keys have no limits. */
  keyLimits?: KeyLimits;
  /** Default group size per key, for one-sample requests without a group size. Omitted: no defaults. */
  group_sizes?: ReadonlyMap<string, number> | undefined;
  /** The spec named `default`. Omitted: the built-in defaults. */
  default_spec?: Spec | undefined;
  /** Fetches a file of `public/` by its path. Omitted: documentation pages are not served. */
  assets?: (path: string) => Promise<Response>;
  /** Omitted: a key may use any model. */
  models?: AllowedModels;
  /** Empty: anyone may call the deployment, but only on a loopback host. */
  keys: readonly KeyDigest[];
  /** Upper bound on the scopes of a key sent in the path. Omitted: no bound. */
  path_scopes?: readonly Scope[] | undefined;
  /** Number of this replica (0 to 15), which is part of the request ids. Omitted: there is only one. */
  replica?: number | undefined;
  /** The secret that signs tokens. Omitted: tokens are disabled. */
  token_secret?: Uint8Array | undefined;
  /** Invalid configuration variables; if there are any, only the public routes answer. */
  faults?: readonly FieldError[];
  /** Receives structured log lines, which never contain keys or model output. */
  report?: (line: Record<string, unknown>) => void;
  /** Whether prompts and rollouts are stored if the spec does not set `log_texts`. Omitted: not stored. */
  log_texts?: boolean | undefined;
  /** Prices per model in US dollars. Omitted: replies do not include a cost. */
  prices?: Prices | undefined;
  /** Whether each request writes a log line. */
  log_requests?: boolean;
}

export interface RouteDeps extends AppDeps, Omit<JudgingDeps, "alarms" | "runObjects"> {
  report: JudgingDeps["report"];
  metrics: Metrics;
  rooms: GroupRooms;
  replies: IdempotentReplies;
  batches: Batches;
  runObjects: RunObjects;
  /** Queries that were recently ranked in this isolate. */
  rankings: RecentRankings;
}
