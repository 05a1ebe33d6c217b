// Owns the Prometheus lines about verifier backends, read when they are asked for. Knows no route.
import type { BreakerState } from "../../core/load/breaker.ts";
import type { BackendStatus } from "../../core/wire/questions.ts";

const BREAKER_VALUES: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

const COUNTERS = {
  requests: "Questions sent to a backend for the first time.",
  retries: "Retries that the budget allowed.",
  retries_denied: "How often a retry had to wait for the budget, or was left to the next backend.",
  hedges: "Second copies of stragglers.",
  hedges_won: "Second copies that began to answer first.",
} as const satisfies Partial<Record<keyof BackendStatus, string>>;

/**
 * Prometheus text format 0.0.4; empty without backends. Names come from the configuration, so the
 * labels are a closed set.
 */
export function backendMetrics(backends: readonly BackendStatus[]): string {
  if (backends.length === 0) return "";
  const family = (name: string, kind: string, help: string, value: (backend: BackendStatus) => number) =>
    `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${backends
      .map((backend) => `${name}{backend="${backend.name}"} ${value(backend)}\n`)
      .join("")}`;
  const help = "State of a backend's circuit breaker: 0 closed, 1 half open, 2 open.";
  const state = family("kritai_backend_breaker_state", "gauge", help, ({ breaker }) => BREAKER_VALUES[breaker]);
  const counts = (Object.entries(COUNTERS) as [keyof typeof COUNTERS, string][]).map(([field, text]) =>
    family(`kritai_backend_${field}_total`, "counter", text, (backend) => backend[field]),
  );
  return state + counts.join("");
}
