// Owns the health check of Kritai's gateway. Must not know questions.

import { LIMITS } from "../../core/faults/limits.ts";
import { authorization } from "../../core/wire/chat-endpoint.ts";
import type { Clock, Health } from "../../scoring/ports.ts";

const DETAIL_CHARS_MAX = 120;

/** See Verifier.check: asks the gateway, which asks its engines. @param base without `/v1` */
export async function checkGateway(
  base: string,
  apiKey: string | null,
  fetcher: typeof fetch,
  clock: Clock,
): Promise<Health> {
  const start = clock.now();
  const signal = AbortSignal.timeout(LIMITS.readiness_timeout_ms);
  let detail: string | null;
  try {
    const response = await fetcher(`${base}/ready`, { headers: authorization(apiKey), signal, redirect: "manual" });
    const text = await response.text();
    detail = response.ok ? null : trouble(response.status, text);
  } catch {
    detail = signal.aborted ? `no answer within ${LIMITS.readiness_timeout_ms} ms` : "not reachable";
  }
  const latency_ms = Math.max(0, clock.now() - start);
  return detail === null ? { ok: true, latency_ms } : { ok: false, latency_ms, detail };
}

/**
 * What is wrong, in a few words: the gateway's own on its engines where it gives them (it names no
 * addresses).
 */
function trouble(status: number, text: string): string {
  if (status === 401 || status === 403) return "key refused";
  try {
    const said = JSON.parse(text) as { status?: unknown; engine?: { detail?: unknown } };
    if (said.status === "draining") return "gateway is shutting down";
    if (typeof said.engine?.detail === "string") return said.engine.detail.slice(0, DETAIL_CHARS_MAX);
  } catch {
    // Not a gateway's reply.
  }
  return `status ${status}`;
}
