// The composition root of the Worker: builds the app and its dependencies from the environment. The only file
// that imports from every folder; contains no other logic.

import { completeDeps, type GivenDeps } from "./api/door/complete-deps.ts";
import type { AppDeps } from "./api/door/deps.ts";
import { createInFlight, type InFlight } from "./api/door/in-flight.ts";
import { createApp } from "./app.ts";
import type { FieldError } from "./core/faults/errors.ts";
import { faultLine } from "./core/faults/fault-line.ts";
import { specOfJudge } from "./core/reward/default-spec.ts";
import { allowedModels, type Config, readEnv } from "./env.ts";
import { announcer } from "./objects/alarm-webhook.ts";
import { batchClass } from "./objects/batches/durable.ts";
import { createRemoteBatches } from "./objects/batches/remote.ts";
import { createReadProbes } from "./objects/counts/read-probes.ts";
import { createDeploymentCounts, type DeploymentCounts } from "./objects/counts/remote.ts";
import { groupRoomClass } from "./objects/gathering/durable.ts";
import { createRemoteRooms } from "./objects/gathering/remote.ts";
import { createRemoteReplies } from "./objects/idempotency/remote.ts";
import type { CountersNamespace } from "./objects/key-limits/ledger.ts";
import { createKeyLimits } from "./objects/key-limits/remote.ts";
import { createRemoteRunObjects } from "./objects/run-objects/run-objects.ts";
import { systemClock } from "./platform/clock.ts";
import { Metrics } from "./platform/counters.ts";
import { printLine } from "./platform/report.ts";
import type { AlarmStates } from "./ports/alarms.ts";
import type { KeyLimits } from "./ports/key-limits.ts";
import type { Clock, Verifier } from "./ports/ports.ts";
import type { ReadProbes } from "./ports/read-probes.ts";
import type { LogExpiry } from "./ports/run-changes.ts";
import type { RunLog } from "./ports/run-log.ts";
import { StoreWriteError } from "./run-log/db/store-write-error.ts";
import { consumeLogs, keepLetters, storeLater } from "./run-log/later.ts";
import { unconfiguredNames, unconfiguredRunLog } from "./run-log/unconfigured.ts";
import { deadLettersClass, remoteDeadLetters } from "./run-log/write/dead-letters-object.ts";
import { sweep } from "./run-log/write/expiry.ts";
import { createLogQueue } from "./run-log/write/log-queue.ts";
import type { ConsumerDeps } from "./run-log/write/queue-consumer.ts";
import type { AlarmWatch } from "./scoring/alarm-watch.ts";
import { AnswerStreaks } from "./scoring/answer-streaks.ts";
import { LastSteps } from "./scoring/last-steps.ts";
import { createVerifier } from "./verifier/create.ts";
import type { Backend } from "./verifier/fan-out/backend.ts";
import { knowPriorities } from "./verifier/settings.ts";
import { unconfiguredVerifier } from "./verifier/unconfigured.ts";

/** The isolate's metrics, shared by requests, Durable Objects and the run log's queue consumer. */
const metrics = new Metrics();
const answers = new AnswerStreaks();
const steps = new LastSteps();

const clock: Clock = systemClock;

/** Shared by all verifiers of the isolate, which a changed configuration replaces. */
const backendStates = new Map<string, Backend>();

const REACH = { timers: clock, report: printLine };

/** Client for the deployment's totals, to which the isolate sends its counters. */
let totals: { namespace: unknown; counts: DeploymentCounts } | null = null;

function deploymentCountsOf({ DEPLOYMENT_TOTALS: namespace }: Config): DeploymentCounts | undefined {
  if (namespace === undefined) return undefined;
  if (totals?.namespace !== namespace) {
    totals = { namespace, counts: createDeploymentCounts(metrics, namespace, clock) };
  }
  return totals.counts;
}

function readProbesOf({ DEPLOYMENT_TOTALS: namespace }: Config, verifier: Verifier): ReadProbes | undefined {
  const backends = verifier.probed?.() ?? [];
  if (namespace === undefined || backends.length === 0) return undefined;
  return createReadProbes({ backends, namespace, clock, metrics, report: printLine });
}

/** The isolate's work in flight. All parts share one counter, because its limits protect the memory. */
let inFlight: { keys: unknown; counts: InFlight } | null = null;

function inFlightOf({ API_KEYS = [] }: Config): InFlight {
  const keys = API_KEYS.map(({ name }) => name).join("\n");
  if (inFlight?.keys !== keys) inFlight = { keys, counts: createInFlight(metrics, API_KEYS, clock) };
  return inFlight.counts;
}

interface LazyPart<T> {
  /** The variable to report if the part cannot be created. */
  variable: keyof Config;
  missing: (variable: string) => T;
  /** Returns null if the part is not configured. May throw for a value that only the adapter can validate. */
  make: (config: Config) => T | null;
}

const VERIFIER: LazyPart<Verifier> = {
  variable: "VERIFIER_URL",
  missing: unconfiguredVerifier,
  make(config) {
    const { backends, VERIFIER_HEDGING, VERIFIER_MAX_IN_FLIGHT: max_in_flight, JUDGE_EXTRA: extra, AI: ai } = config;
    const [first, ...others] = backends;
    if (first === undefined) return null;
    const options = { hedging: VERIFIER_HEDGING !== "off", max_in_flight, ai };
    const verifier = createVerifier([first, ...others], options, clock, backendStates);
    return Object.assign(verifier, { extra });
  },
};

type StoreParts = Pick<GivenDeps, "runLog" | "specs" | "templates" | "logQueue"> &
  Pick<ConsumerDeps, "store"> & { alarmStates?: AlarmStates; expiry?: LogExpiry };

const STORE: LazyPart<StoreParts> = {
  variable: "DATABASE_URL",
  missing: (variable) => ({
    runLog: unconfiguredRunLog(variable),
    specs: unconfiguredNames(variable),
    templates: unconfiguredNames(variable),
    store: () => Promise.reject(new StoreWriteError(null)),
  }),
  make({ DATABASE_URL: databaseUrl = "", DATABASE_FETCH_ENDPOINT: fetchEndpoint, LOG_QUEUE }) {
    if (databaseUrl === "" && fetchEndpoint === undefined) return null;
    return {
      ...storeLater({ databaseUrl, fetchEndpoint, clock }),
      ...(LOG_QUEUE && { logQueue: createLogQueue(LOG_QUEUE, clock) }),
    };
  },
};

function assemble<T>(part: LazyPart<T>, config: Config, faults: FieldError[]): T {
  try {
    return part.make(config) ?? part.missing(part.variable);
  } catch {
    faults.push({ path: part.variable, message: "has an invalid value" });
    return part.missing(part.variable);
  }
}

type WorkerParts = AppDeps &
  Pick<StoreParts, "store" | "expiry"> & {
    log_days: ReadonlyMap<string, number>;
    /** Sends the isolate's counters to the deployment's totals. Does not reject. */
    counted(): Promise<void>;
  };

/**
 * Builds the app's parts from an environment. Parts contain no request state, so that all requests of an
 * isolate can share them.
 */
function partsOf(env: Record<string, unknown>): WorkerParts {
  const { config, faults } = readEnv(env);
  const inFlight = inFlightOf(config);
  const store = assemble(STORE, config, faults);
  const verifier = assemble(VERIFIER, config, faults);
  const deploymentCounts = deploymentCountsOf(config);
  const { store: storeRows, expiry, alarmStates, ...stores } = store;
  const given: GivenDeps = {
    verifier,
    deploymentCounts,
    readProbes: readProbesOf(config, verifier),
    ...stores,
    ...(alarmStates && { alarms: watchOf(store.runLog, alarmStates, config) }),
    ...(config.DEAD_LETTERS && config.LOG_QUEUE && { deadLetters: remoteDeadLetters(config.DEAD_LETTERS) }),
    ...(config.IDEMPOTENT_REQUESTS && {
      replies: createRemoteReplies(config.IDEMPOTENT_REQUESTS, REACH),
      runObjects: createRemoteRunObjects(config.IDEMPOTENT_REQUESTS, REACH),
    }),
    ...(config.BATCH && { batches: createRemoteBatches(config.BATCH, REACH) }),
    ...(config.GROUP_ROOM && { rooms: createRemoteRooms(config.GROUP_ROOM, REACH) }),
    ...(config.KEY_COUNTERS && { keyLimits: limitsOf(config.KEY_LIMITS ?? new Map(), config.KEY_COUNTERS) }),
    ...(config.ASSETS && { assets: assetsOf(config.ASSETS) }),
    models: allowedModels(config),
    metrics,
    inFlight,
    held: inFlight.held,
    answers,
    steps,
    early_judging: config.EARLY_JUDGING === undefined ? knowPriorities(config.backends) : config.EARLY_JUDGING === "on",
    clock,
    timers: clock,
    keys: config.API_KEYS ?? [],
    prices: config.PRICES,
    group_sizes: config.GROUP_SIZES,
    default_spec: config.DEFAULT_JUDGE === undefined ? undefined : specOfJudge(config.DEFAULT_JUDGE),
    path_scopes: config.PATH_SCOPES,
    replica: config.REPLICA,
    token_secret: config.TOKEN_SECRET,
    faults,
    log_requests: config.LOG_LEVEL === "info",
    log_texts: config.LOG_TEXTS === "on",
  };
  return {
    ...completeDeps(given),
    store: storeRows,
    ...(expiry && { expiry }),
    log_days: config.LOG_DAYS ?? new Map(),
    async counted() {
      metrics.bookBackends(verifier);
      await deploymentCounts?.flush();
    },
  };
}

function watchOf(runLog: RunLog, states: AlarmStates, { WEBHOOK: url, WEBHOOK_SECRET: secret }: Config): AlarmWatch {
  const announcing = url !== undefined && secret !== undefined && { announce: announcer({ url, secret }, clock) };
  const parts = { runLog, states, ...announcing, metrics, report: printLine };
  // Imported only when a run's alarms are evaluated, which no request waits for.
  return {
    on: (limit) => states.on(limit),
    look: async (runs) => (await import("./scoring/alarm-watch.ts")).createAlarmWatch(parts).look(runs),
  };
}

/** Fetches a static file. The Assets binding ignores the host in the URL. */
const assetsOf = (assets: NonNullable<Config["ASSETS"]>) => (path: string) => assets.fetch(`http://assets${path}`);

/** The isolate's key limits, shared so that bytes stored by Durable Objects count for later requests too. */
let keyLimits: { settings: string; limits: KeyLimits } | null = null;

function limitsOf(limits: NonNullable<Config["KEY_LIMITS"]>, counters: CountersNamespace): KeyLimits {
  const settings = JSON.stringify([...limits]);
  if (keyLimits?.settings !== settings) {
    const onUnreachable = () => metrics.add("kritai_key_limits_unreachable_total", 1);
    keyLimits = { settings, limits: createKeyLimits({ limits, counters, timers: clock, onUnreachable }) };
  }
  return keyLimits.limits;
}

export { KeyCounters } from "./objects/key-limits/durable.ts";

export class GroupRoom extends groupRoomClass(partsOf) {}
export class Batch extends batchClass(partsOf) {}

export { DeploymentTotals } from "./objects/counts/durable.ts";
export { IdempotentRequests } from "./objects/idempotency/durable.ts";

/** The Durable Object that keeps log entries that could not be stored, independently of the database. */
export class DeadLetters extends deadLettersClass((env) => {
  const { LOG_QUEUE } = readEnv(env).config;
  if (LOG_QUEUE === undefined) throw new Error("LOG_QUEUE is not bound");
  return LOG_QUEUE;
}) {}

interface Composed {
  env: unknown;
  app: ReturnType<typeof createApp>;
  consumer: ConsumerDeps;
  hourly: () => Promise<unknown>;
  counted: WorkerParts["counted"];
}

// The runtime passes the same `env` object to every request of an isolate. A different object means that the
// configuration has changed.
let composed: Composed | null = null;

function compose(env: Record<string, unknown>): Composed {
  if (composed?.env === env) return composed;
  const parts = partsOf(env);
  const app = createApp(parts);
  const hourly = () => Promise.all([sweepLog(parts), parts.readProbes?.run()]);
  composed = { env, app, consumer: consumerDeps(parts), hourly, counted: parts.counted };
  return composed;
}

async function sweepLog({ expiry, deadLetters: letters, log_days: days }: WorkerParts): Promise<void> {
  if (expiry === undefined) return;
  try {
    const requests = await sweep({ expiry, letters, days, now: clock.now });
    if (requests > 0) metrics.add("kritai_log_expired_requests_total", requests);
  } catch (error) {
    printLine({ ...faultLine(error, "sweep"), event: "log_sweep_failed" });
  }
}

function consumerDeps({ store, deadLetters, alarms }: WorkerParts): ConsumerDeps {
  return {
    store,
    // Without the DeadLetters binding, entries that cannot be stored stay in the queue.
    letters: deadLetters ?? { store: (letters) => (letters.length === 0 ? Promise.resolve() : Promise.reject()) },
    ...(alarms && { look: alarms.look }),
    random: Math.random,
    now: clock.now,
    count(end, reason, age_s) {
      metrics.add("kritai_log_messages_total", 1, { end, reason });
      metrics.observe("kritai_log_message_age_seconds", age_s);
      if (end === "dead") printLine({ level: "error", event: "dead_letter", reason });
    },
  };
}

export default {
  fetch(request: Request, env: Record<string, unknown>, execution: ExecutionContext): Response | Promise<Response> {
    const { app, counted } = compose(env);
    const reply = app.fetch(request, env, execution);
    execution.waitUntil(Promise.resolve(reply).then(counted, counted));
    return reply;
  },

  /** Deletes expired data and runs the daily probe if it is due. Runs every hour (`crons` in wrangler.toml). */
  async scheduled(_: unknown, env: Record<string, unknown>, execution: ExecutionContext): Promise<void> {
    const { hourly, counted } = compose(env);
    await hourly();
    execution.waitUntil(counted());
  },

  /** Consumes the run log's queue and its dead-letter queue, which differ in the suffix of their names. */
  async queue(
    { queue, messages }: MessageBatch,
    env: Record<string, unknown>,
    execution: ExecutionContext,
  ): Promise<void> {
    const { consumer, counted } = compose(env);
    await (queue.endsWith("dead-letters") ? keepLetters : consumeLogs)(messages, consumer);
    execution.waitUntil(counted());
  },
};
