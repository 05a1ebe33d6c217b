// The ports and settings that the app and its routes depend on. Contains interfaces only.

import type { AllowedModels } from "../../core/contract/allowed-models.ts";
import type { DeadLetterStore } from "../../core/contract/dead-letter.ts";
import type { FieldError } from "../../core/faults/errors.ts";
import type { RecentRankings } from "../../core/load/recent-rankings.ts";
import type { Spec } from "../../core/reward/spec.ts";
import type { Batches } from "../../objects/batches/view.ts";
import type { DeploymentCounts } from "../../objects/counts/remote.ts";
import type { GroupRooms } from "../../objects/gathering/gathering.ts";
import type { IdempotentReplies } from "../../objects/idempotency/reply.ts";
import type { RunObjects } from "../../objects/run-objects/run-objects.ts";
import type { SpecStore, TemplateStore } from "../../ports/ports.ts";
import type { ReadProbes } from "../../ports/read-probes.ts";
import type { AlarmWatch } from "../../scoring/alarm-watch.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import type { KeyDigest, Scope } from "./auth.ts";
import type { InFlight } from "./in-flight.ts";

/** Everything that routes depend on. Null: the deployment does not have the feature. */
export interface AppDeps extends JudgingDeps {
  specs: SpecStore;
  /** Null: only the built-in presets exist. */
  templates: TemplateStore | null;
  /** Null: the deployment has no queue and therefore no dead letters. */
  deadLetters: DeadLetterStore | null;
  /** Null: only this process's counters are reported. */
  deploymentCounts: DeploymentCounts | null;
  /** Null: decision models are not probed for what they read. */
  readProbes: ReadProbes | null;
  rooms: GroupRooms;
  replies: IdempotentReplies;
  batches: Batches;
  runObjects: RunObjects;
  alarms: AlarmWatch | null;
  /** The isolate's work in flight. */
  inFlight: InFlight;
  /** Queries that were recently ranked in this isolate. */
  rankings: RecentRankings;
  /** Default group size per key, for one-sample requests without a group size. */
  group_sizes: ReadonlyMap<string, number>;
  /** The spec named `default`. Null: the built-in defaults, and texts are judged by a spec for texts. */
  default_spec: Spec | null;
  /** Fetches a file of `public/` by its path. Null: documentation pages are not served. */
  assets: ((path: string) => Promise<Response>) | null;
  /** Null: a key may use any model. */
  models: AllowedModels | null;
  /** Empty: anyone may call the deployment, but only on a loopback host. */
  keys: readonly KeyDigest[];
  /** Upper bound on the scopes of a key sent in the path. Null: no bound. */
  path_scopes: readonly Scope[] | null;
  /** Number of this replica (0 to 15), which is part of the request ids. Null: there is only one. */
  replica: number | null;
  /** The secret that signs tokens. Null: tokens are disabled. */
  token_secret: Uint8Array | null;
  /** Invalid configuration variables; if there are any, only the public routes answer. */
  faults: readonly FieldError[];
  /** Whether each request writes a log line. */
  log_requests: boolean;
}
