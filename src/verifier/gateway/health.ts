// The health check of Kritai's gateway. Independent of questions.

import { isKeyRefused, keyRefused } from "../../core/faults/engine-reason.ts";
import { authorization } from "../../core/wire/chat-endpoint.ts";
import { VERIFY_REVISION } from "../../core/wire/verify-protocol.ts";
import type { Clock, Health } from "../../ports/ports.ts";
import { healthOf, type Served } from "../fan-out/health-check.ts";

const DETAIL_CHARS_MAX = 120;

/**
 * Checks the gateway, which checks its engines (see Verifier.check).
 * @param base the gateway's base URL without `/v1`
 */
export function checkGateway(
  base: string,
  apiKey: string | null,
  key_variable: string,
  fetcher: typeof fetch,
  clock: Clock,
): Promise<Health> {
  return healthOf(clock, async (signal) => {
    const response = await fetcher(`${base}/ready`, { headers: authorization(apiKey), signal, redirect: "manual" });
    const text = await response.text();
    return response.ok ? servedBy(text) : trouble(response.status, text, key_variable);
  });
}

/**
 * Facts reported by a ready gateway: the model's context length, and a warning if the gateway is
 * outdated.
 */
function servedBy(text: string): Served {
  try {
    const { engine, revision = 0 } = JSON.parse(text) as { engine?: { context_tokens?: unknown }; revision?: number };
    const tokens = engine?.context_tokens;
    return {
      ...(Number.isSafeInteger(tokens) && { context_tokens: tokens as number }),
      ...(revision < VERIFY_REVISION && { detail: "gateway is older than this edge: deploy it too" }),
    };
  } catch {
    return {};
  }
}

/**
 * A short description of the problem. Prefers the gateway's own report on its engines, which contains no
 * addresses.
 */
function trouble(status: number, text: string, key_variable: string): string {
  if (isKeyRefused(status)) return keyRefused(key_variable);
  try {
    const reply = JSON.parse(text) as { status?: unknown; engine?: { detail?: unknown } };
    if (reply.status === "draining") return "gateway is shutting down";
    if (typeof reply.engine?.detail === "string") return reply.engine.detail.slice(0, DETAIL_CHARS_MAX);
  } catch {
    // The reply is not from a gateway.
  }
  return `status ${status}`;
}
