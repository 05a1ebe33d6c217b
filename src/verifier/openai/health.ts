// Owns an OpenAI-compatible server's configuration and its health check. Must not know questions.

import { LIMITS } from "../../core/faults/limits.ts";
import { apiRoot, authorization } from "../../core/wire/chat-endpoint.ts";
import type { Clock, Health } from "../../scoring/ports.ts";

export interface OpenAiConfig {
  /**
   * The server's base URL: `http://host:8000`, `…/v1`, or the full `…/v1/chat/completions`. A path
   * that names a version (`v1`, `v1beta`, ..) is taken as it is; to any other, `/v1` is appended.
   */
  url: string;
  /** The model's name at the server, for calls that name none. */
  model: string;
  apiKey: string | null;
}

/** See Verifier.check: asks for the model list; a server without one is asked for `/health`. */
export async function checkEndpoint(config: OpenAiConfig, fetcher: typeof fetch, clock: Clock): Promise<Health> {
  const start = clock.now();
  const signal = AbortSignal.timeout(LIMITS.readiness_timeout_ms);
  let detail: string | null;
  try {
    detail = await trouble(config, fetcher, signal);
  } catch {
    detail = signal.aborted ? `no answer within ${LIMITS.readiness_timeout_ms} ms` : "not reachable";
  }
  const latency_ms = Math.max(0, clock.now() - start);
  return detail === null ? { ok: true, latency_ms } : { ok: false, latency_ms, detail };
}

/** What is wrong with the server, in a few words; null when nothing is. */
async function trouble(config: OpenAiConfig, fetcher: typeof fetch, signal: AbortSignal): Promise<string | null> {
  const root = apiRoot(config.url);
  const init = { headers: authorization(config.apiKey), signal, redirect: "manual" } as const;
  const models = await fetcher(`${root}/models`, init);
  if (models.ok) return serves(await models.text(), config.model) ? null : "model not served";
  void models.body?.cancel().catch(() => {});
  if (models.status === 401 || models.status === 403) return "key refused";
  if (models.status !== 404 && models.status !== 405) return `status ${models.status}`;
  const health = await fetcher(`${root.replace(/\/v1$/, "")}/health`, init);
  void health.body?.cancel().catch(() => {});
  return health.ok ? null : `status ${health.status}`;
}

/** Whether a model list names the model. */
function serves(list: string, model: string): boolean {
  try {
    const { data } = JSON.parse(list) as { data: unknown };
    return Array.isArray(data) && data.some((entry) => (entry as { id?: unknown } | null)?.id === model);
  } catch {
    return false;
  }
}
