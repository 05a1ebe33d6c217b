// The service routes: info, liveness, readiness and metrics.
import { DEFAULT_SPEC } from "../../core/contract/spec.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { BreakerState } from "../../core/load/breaker.ts";
import { MetricRegistry } from "../../core/load/metric-registry.ts";
import type { BackendStatus } from "../../core/wire/questions.ts";
import { within } from "../../platform/waiting.ts";
import type { Clock, Health } from "../../ports/ports.ts";
import type { AlarmWatch } from "../../scoring/alarm-watch.ts";
import type { AppDeps } from "../door/deps.ts";
import { problemResponse } from "../door/problem.ts";
import { type AppContext, keepAlive } from "../door/scope.ts";
import { documented, serviceWords } from "./words.ts";

/** The version in package.json. A test checks that both are equal. */
export const VERSION = "0.1.0";

export function serviceInfo() {
  return (c: AppContext): Response =>
    c.json({
      name: "kritai",
      version: VERSION,
      docs: "/docs",
      openapi: "/openapi.json",
      ready: "/readyz",
    });
}

export function healthz() {
  return (c: AppContext): Response => c.json({ status: "ok" });
}

async function bounded(clock: Clock, check: () => Promise<Health>): Promise<Health> {
  const failed = { ok: false, latency_ms: 0, detail: "failed" };
  const late = { ok: false, latency_ms: LIMITS.readiness_timeout_ms, detail: "timeout" };
  const checked = check().catch(() => failed);
  return within(clock, LIMITS.readiness_timeout_ms, checked, () => late);
}

/**
 * Adds a warning if the engine's context is too short for the built-in spec: engines reject questions whose
 * `max_tokens` leave no space for a prompt. The backend still counts as healthy, because other specs may use
 * fewer tokens.
 */
function withContext(health: Health): Health {
  const { max_tokens } = DEFAULT_SPEC.judge;
  if (!health.ok || health.context_tokens === undefined || health.context_tokens > max_tokens) return health;
  const detail = `the context of ${health.context_tokens} tokens leaves no room for a prompt with judge.max_tokens = ${max_tokens} of the spec "default": serve a longer context, or send specs with fewer max_tokens`;
  return { ...health, detail };
}

/**
 * Adds what the decision models read in their last probes, and starts probes that are due, which end after the
 * reply. A model that reads less still counts as healthy: calls that it does not read to their end are null
 * with a code.
 */
async function withReading(c: AppContext, health: Health, { readProbes, clock }: AppDeps): Promise<Health> {
  if (readProbes === null) return health;
  const asked = readProbes.status().catch(() => null);
  const status = await within(clock, LIMITS.readiness_timeout_ms, asked, () => null);
  if (status === null) return health;
  if (status.due) keepAlive(c, readProbes.run());
  const { reading } = status;
  const less = reading.flatMap(({ backend, at, read_tokens, depths }) => {
    const tokens = depths.at(-1)?.tokens ?? 0;
    if (read_tokens === null || read_tokens >= tokens) return [];
    return `${backend} read ${read_tokens} of ${tokens} tokens in its probe at ${at}: send shorter answers or smaller groups, or use another server`;
  });
  const detail = [...(health.detail === undefined ? [] : [health.detail]), ...less].join("; ");
  return { ...health, ...(detail !== "" && { detail }), reading };
}

interface Readiness {
  at_ms: number;
  checks: { database: Health; verifier: Health };
}

/**
 * Replies 200 if database and verifier respond. The result is cached for a second, because the route is
 * public and must not amplify load.
 */
export function readyz(deps: AppDeps) {
  let known: Readiness | null = null;
  return async (c: AppContext): Promise<Response> => {
    if (known === null || deps.clock.now() - known.at_ms >= LIMITS.readiness_cache_ms) {
      const [database, verifier] = await Promise.all([
        bounded(deps.clock, () => deps.runLog.check()),
        bounded(deps.clock, () => deps.verifier.check()),
      ]);
      const withProbes = await withReading(c, withContext(verifier), deps);
      known = { at_ms: deps.clock.now(), checks: { database, verifier: withProbes } };
    }
    const { checks } = known;
    const faults = deps.faults;
    if (checks.database.ok && checks.verifier.ok && faults.length === 0) return c.json({ ready: true, checks });
    const missing = Object.entries(checks).filter(([, health]) => !health.ok);
    const names = [...missing.map(([name]) => name), ...faults.map((fault) => fault.path)].join(", ");
    const fault = new ApiError("not_ready", `Not ready: ${names}.`, {
      errors: faults,
      headers: { "retry-after": "1" },
    });
    return problemResponse(c, fault, { ready: false, checks });
  };
}

const BREAKER_VALUES: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

const BREAKER_FAMILIES = {
  kritai_backend_breaker_state: [
    "gauge",
    "State of a backend's circuit breaker in the isolate that serves this request: 0 closed, 1 half open, 2 open.",
  ],
} as const;

/**
 * Circuit breaker metrics per backend in Prometheus text format 0.0.4; empty without backends. The number of
 * label values is bounded, because backend names come from the configuration.
 */
function breakerLines(backends: readonly BackendStatus[]): string {
  if (backends.length === 0) return "";
  const metrics = new MetricRegistry(BREAKER_FAMILIES);
  for (const { name, breaker } of backends) {
    metrics.set("kritai_backend_breaker_state", BREAKER_VALUES[breaker], { backend: name });
  }
  return metrics.render();
}

const ALARM_FAMILIES = {
  kritai_run_alarm: [
    "gauge",
    "1 if the run's alarm is on at this level. Newest alarm_series_max series of runs written to within a day.",
  ],
  kritai_run_alarms_known: ["gauge", "1 if the database returned the alarms in time, 0 otherwise."],
} as const;

/**
 * Alarm metrics per run in Prometheus text format 0.0.4, up to alarm_series_max series. If the database does
 * not respond, the rest of /metrics is still returned.
 */
async function alarmMetrics(clock: Clock, alarms: Pick<AlarmWatch, "on"> | null): Promise<string> {
  if (alarms === null) return "";
  const metrics = new MetricRegistry(ALARM_FAMILIES);
  const asked = alarms.on(LIMITS.alarm_series_max).catch(() => null);
  const on = await within(clock, LIMITS.readiness_timeout_ms, asked, () => null);
  metrics.set("kritai_run_alarms_known", on === null ? 0 : 1);
  for (const { run_id, owner, alarm, level } of on ?? []) {
    metrics.set("kritai_run_alarm", 1, { run_id, owner, alarm, level });
  }
  return metrics.render();
}

export function metricsText({ metrics, deploymentCounts, verifier, alarms, clock }: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const ofRuns = await alarmMetrics(clock, alarms);
    metrics.bookBackends(verifier);
    const counted = deploymentCounts === null ? metrics.render() : await deploymentCounts.text();
    return c.text(counted + breakerLines(verifier.backends?.() ?? []) + ofRuns, 200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    });
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /": serviceWords("about", "Service name, version and links", "application/json"),
  "GET /healthz": serviceWords("healthz", "Liveness: 200 while the process runs", "application/json"),
  "GET /ping": serviceWords("ping", "Same as `/healthz`, for TEI and vLLM clients", "application/json"),
  "GET /readyz": {
    ...serviceWords("readyz", "Whether database and verifier respond, with latencies", "application/json"),
    faults: [503],
  },
  "GET /metrics": {
    ...serviceWords("metrics", "Prometheus counters of the whole deployment", "text/plain"),
    faults: [401, 503],
  },
}));
