// Timeout and latency measurement for a backend's health check. Independent of the request.
import { LIMITS } from "../../core/faults/limits.ts";
import { withTimeout } from "../../platform/waiting.ts";
import type { Clock, Health } from "../../ports/ports.ts";

/** Facts that a healthy backend reports about itself. */
export type Served = Pick<Health, "context_tokens" | "detail">;

/**
 * Runs a health check within readiness_timeout_ms; see Verifier.check.
 * @param look asks the backend; returns facts about it, or a short description of the problem
 */
export async function healthOf(clock: Clock, look: (signal: AbortSignal) => Promise<string | Served>): Promise<Health> {
  const start = clock.now();
  const limit_ms = LIMITS.readiness_timeout_ms;
  const found = await withTimeout(clock, limit_ms, (signal) =>
    look(signal).catch(() => (signal.aborted ? `no answer within ${limit_ms} ms` : "not reachable")),
  );
  const latency_ms = Math.max(0, clock.now() - start);
  return typeof found === "string" ? { ok: false, latency_ms, detail: found } : { ok: true, latency_ms, ...found };
}
