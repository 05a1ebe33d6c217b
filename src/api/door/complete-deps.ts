// Completes the app's dependencies: the only place that fills in defaults, so that nothing behind it is optional.

import { RecentRankings } from "../../core/load/recent-rankings.ts";
import { createLocalBatches } from "../../objects/batches/local.ts";
import { createLocalRooms } from "../../objects/gathering/local.ts";
import { createLocalReplies } from "../../objects/idempotency/local.ts";
import { createLocalRunObjects } from "../../objects/run-objects/run-objects.ts";
import { Metrics } from "../../platform/counters.ts";
import { completeJudging } from "../../scoring/complete-judging.ts";
import type { AppDeps } from "./deps.ts";
import { createInFlight } from "./in-flight.ts";

type NeededDeps = "verifier" | "runLog" | "specs" | "clock" | "timers" | "keys";

/** Dependencies of which only a few are given. What is undefined has its default. */
export type GivenDeps = Pick<AppDeps, NeededDeps> & {
  [K in Exclude<keyof AppDeps, NeededDeps>]?: AppDeps[K] | undefined;
};

/**
 * Fills in what is not given: features that need a service are off, and what needs storage is kept in this
 * process.
 */
export function completeDeps(given: GivenDeps): AppDeps {
  const metrics = given.metrics ?? new Metrics();
  const inFlight = given.inFlight ?? createInFlight(metrics, given.keys, given.timers);
  const judging = completeJudging({ ...given, metrics, held: given.held ?? inFlight.held });
  const runObjects = given.runObjects ?? createLocalRunObjects(given.timers);
  return {
    ...judging,
    alarms: given.alarms ?? null,
    specs: given.specs,
    keys: given.keys,
    inFlight,
    runObjects,
    templates: given.templates ?? null,
    deadLetters: given.deadLetters ?? null,
    deploymentCounts: given.deploymentCounts ?? null,
    readProbes: given.readProbes ?? null,
    rooms: given.rooms ?? createLocalRooms({ ...judging, runObjects }),
    replies: given.replies ?? createLocalReplies(given.timers),
    batches: given.batches ?? createLocalBatches(judging),
    rankings: given.rankings ?? new RecentRankings(),
    group_sizes: given.group_sizes ?? new Map(),
    default_spec: given.default_spec ?? null,
    assets: given.assets ?? null,
    models: given.models ?? null,
    path_scopes: given.path_scopes ?? null,
    replica: given.replica ?? null,
    token_secret: given.token_secret ?? null,
    faults: given.faults ?? [],
    log_requests: given.log_requests ?? false,
  };
}
