// Configuration and health check of an OpenAI-compatible server. Independent of questions.

import { isKeyRefused, keyRefused } from "../../core/faults/engine-reason.ts";
import { apiRoot, authorization, contextIn } from "../../core/wire/chat-endpoint.ts";
import type { Clock, Health } from "../../ports/ports.ts";
import { keyVariable } from "../fan-out/backend-kind.ts";
import { healthOf, type Served } from "../fan-out/health-check.ts";

export interface OpenAiConfig {
  /**
   * The server's base URL: `http://host:8000`, `…/v1`, or the full `…/v1/chat/completions`. A path that
   * ends in a version (`v1`, `v1beta`, ..) is used unchanged; `/v1` is appended to any other path.
   */
  url: string;
  /** The model's name at the server, for calls that name none. */
  model: string;
  apiKey: string | null;
  /** Name of the setting that holds the key; default: the first backend's. */
  key_variable?: string;
}

/** Asks for the model list, or for `/health` if the server has no list. See Verifier.check. */
export function checkEndpoint(config: OpenAiConfig, fetcher: typeof fetch, clock: Clock): Promise<Health> {
  return healthOf(clock, (signal) => look(config, fetcher, signal));
}

/** The server's facts, or a short description of the problem. */
async function look(config: OpenAiConfig, fetcher: typeof fetch, signal: AbortSignal): Promise<string | Served> {
  const root = apiRoot(config.url);
  const init = { headers: authorization(config.apiKey), signal, redirect: "manual" } as const;
  const models = await fetcher(`${root}/models`, init);
  if (models.ok) return served(await models.text(), config.model) ?? "model not served";
  void models.body?.cancel().catch(() => {});
  if (isKeyRefused(models.status)) return keyRefused(config.key_variable ?? keyVariable(0));
  if (models.status !== 404 && models.status !== 405) return `status ${models.status}`;
  const health = await fetcher(`${root.replace(/\/v1$/, "")}/health`, init);
  void health.body?.cancel().catch(() => {});
  return health.ok ? {} : `status ${health.status}`;
}

/** The model's entry in the list; null if the list does not contain the model. */
function served(list: string, model: string): Served | null {
  try {
    const context_tokens = contextIn(JSON.parse(list), model);
    return context_tokens === null ? {} : context_tokens === undefined ? null : { context_tokens };
  } catch {
    return null;
  }
}
