// Owns the health check of Kritai's gateway. Must not know questions.

import { isKeyRefused, keyRefused } from "../../core/faults/engine-reason.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { authorization } from "../../core/wire/chat-endpoint.ts";
import type { Clock, Health } from "../../scoring/ports.ts";

const DETAIL_CHARS_MAX = 120;

/** See Verifier.check: asks the gateway, which asks its engines. @param base without `/v1` */
export async function checkGateway(
  base: string,
  apiKey: string | null,
  key_variable: string,
  fetcher: typeof fetch,
  clock: Clock,
): Promise<Health> {
  const start = clock.now();
  const signal = AbortSignal.timeout(LIMITS.readiness_timeout_ms);
  let found: string | Pick<Health, "context_tokens">;
  try {
    const response = await fetcher(`${base}/ready`, { headers: authorization(apiKey), signal, redirect: "manual" });
    const text = await response.text();
    found = response.ok ? contextOf(text) : trouble(response.status, text, key_variable);
  } catch {
    found = signal.aborted ? `no answer within ${LIMITS.readiness_timeout_ms} ms` : "not reachable";
  }
  const latency_ms = Math.max(0, clock.now() - start);
  return typeof found === "string" ? { ok: false, latency_ms, detail: found } : { ok: true, latency_ms, ...found };
}

/** What a gateway that is ready tells of the model's context. */
function contextOf(text: string): Pick<Health, "context_tokens"> {
  try {
    const { engine } = JSON.parse(text) as { engine?: { context_tokens?: unknown } };
    const tokens = engine?.context_tokens;
    return Number.isSafeInteger(tokens) ? { context_tokens: tokens as number } : {};
  } catch {
    return {};
  }
}

/**
 * What is wrong, in a few words: the gateway's own on its engines where it gives them (it names no
 * addresses).
 */
function trouble(status: number, text: string, key_variable: string): string {
  if (isKeyRefused(status)) return keyRefused(key_variable);
  try {
    const said = JSON.parse(text) as { status?: unknown; engine?: { detail?: unknown } };
    if (said.status === "draining") return "gateway is shutting down";
    if (typeof said.engine?.detail === "string") return said.engine.detail.slice(0, DETAIL_CHARS_MAX);
  } catch {
    // Not a gateway's reply.
  }
  return `status ${status}`;
}
