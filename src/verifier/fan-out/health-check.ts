// Timeout and latency measurement for a backend's health check. Independent of the request.
import { LIMITS } from "../../core/faults/limits.ts";
import type { Clock, Health } from "../../ports/ports.ts";

/** Facts that a healthy backend reports about itself. */
export type Served = Pick<Health, "context_tokens" | "detail">;

/**
 * Runs a health check within readiness_timeout_ms; see Verifier.check.
 * @param look asks the backend; returns facts about it, or a short description of the problem
 */
export async function healthOf(clock: Clock, look: (signal: AbortSignal) => Promise<string | Served>): Promise<Health> {
  const start = clock.now();
  const signal = AbortSignal.timeout(LIMITS.readiness_timeout_ms);
  let found: string | Served;
  try {
    found = await look(signal);
  } catch {
    found = signal.aborted ? `no answer within ${LIMITS.readiness_timeout_ms} ms` : "not reachable";
  }
  const latency_ms = Math.max(0, clock.now() - start);
  return typeof found === "string" ? { ok: false, latency_ms, detail: found } : { ok: true, latency_ms, ...found };
}
