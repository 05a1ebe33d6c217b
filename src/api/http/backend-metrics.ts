// Owns the Prometheus lines about verifier backends, read when they are asked for. Knows no route.
import type { BreakerState } from "../../core/load/breaker.ts";
import { MetricRegistry } from "../../core/load/metric-registry.ts";
import type { BackendStatus } from "../../core/wire/questions.ts";

const BREAKER_VALUES: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

const FAMILIES = {
  kritai_backend_breaker_state: ["gauge", "State of a backend's circuit breaker: 0 closed, 1 half open, 2 open."],
  kritai_backend_requests_total: ["counter", "Questions sent to a backend for the first time."],
  kritai_backend_retries_total: ["counter", "Retries that the budget allowed."],
  kritai_backend_retries_denied_total: [
    "counter",
    "How often a retry had to wait for the budget, or was left to the next backend.",
  ],
  kritai_backend_hedges_total: ["counter", "Second copies of stragglers."],
  kritai_backend_hedges_won_total: ["counter", "Second copies that began to answer first."],
} as const;

const COUNTED = ["requests", "retries", "retries_denied", "hedges", "hedges_won"] as const;

/**
 * Prometheus text format 0.0.4; empty without backends. Names come from the configuration, so the
 * labels are a closed set.
 */
export function backendMetrics(backends: readonly BackendStatus[]): string {
  if (backends.length === 0) return "";
  const metrics = new MetricRegistry(FAMILIES);
  for (const status of backends) {
    const backend = { backend: status.name };
    metrics.set("kritai_backend_breaker_state", BREAKER_VALUES[status.breaker], backend);
    for (const field of COUNTED) metrics.set(`kritai_backend_${field}_total`, status[field], backend);
  }
  return metrics.render();
}
