// Owns the service routes: what this is, whether it lives, whether it can work, what it has
// counted.
import { DEFAULT_SPEC } from "../../core/contract/spec.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Health } from "../../scoring/ports.ts";
import { within } from "../../scoring/waiting.ts";
import { alarmMetrics } from "../http/alarm-metrics.ts";
import { backendMetrics } from "../http/backend-metrics.ts";
import type { RouteDeps } from "../http/deps.ts";
import { problemResponse } from "../http/problem.ts";
import type { AppContext } from "../http/scope.ts";

/** package.json's; a test holds them together. */
export const VERSION = "0.1.0";

export function about() {
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

async function bounded(check: () => Promise<Health>): Promise<Health> {
  const failed = { ok: false, latency_ms: 0, detail: "failed" };
  const late = { ok: false, latency_ms: LIMITS.readiness_timeout_ms, detail: "timeout" };
  const checked = check().catch(() => failed);
  return within(LIMITS.readiness_timeout_ms, checked, () => late);
}

/**
 * Says where the built-in spec cannot be used: an engine refuses every question whose `max_tokens`
 * leave no room for a prompt. No fault of the service's, since specs may say less.
 */
function withContext(health: Health): Health {
  const { max_tokens } = DEFAULT_SPEC.judge;
  if (!health.ok || health.context_tokens === undefined || health.context_tokens > max_tokens) return health;
  const detail = `the context of ${health.context_tokens} tokens leaves no room beside judge.max_tokens = ${max_tokens} of the spec "default": serve a longer one, or send specs that say less`;
  return { ...health, detail };
}

interface Readiness {
  at_ms: number;
  checks: { database: Health; verifier: Health };
}

/**
 * 200 when database and verifier answer. The result is kept for a second: the route is open and
 * must not be a lever.
 */
export function readyz(deps: RouteDeps) {
  let known: Readiness | null = null;
  return async (c: AppContext): Promise<Response> => {
    if (known === null || deps.clock.now() - known.at_ms >= LIMITS.readiness_cache_ms) {
      const [database, verifier] = await Promise.all([
        bounded(() => deps.runLog.check()),
        bounded(() => deps.verifier.check()),
      ]);
      known = { at_ms: deps.clock.now(), checks: { database, verifier: withContext(verifier) } };
    }
    const { checks } = known;
    const faults = deps.faults ?? [];
    if (checks.database.ok && checks.verifier.ok && faults.length === 0) return c.json({ ready: true, checks });
    const missing = Object.entries(checks).filter(([, health]) => !health.ok);
    const names = [...missing.map(([name]) => name), ...faults.map((fault) => fault.path)].join(", ");
    const fault = new ApiError("not_ready", `Not ready: ${names}.`, {
      errors: faults,
      headers: { "retry-after": "1" },
    });
    return problemResponse(fault, c.get("scope").id, { ready: false, checks });
  };
}

export function metricsText({ metrics, verifier, alarms }: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const ofRuns = await alarmMetrics(alarms);
    return c.text(metrics.render() + backendMetrics(verifier.backends?.() ?? []) + ofRuns, 200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    });
  };
}
