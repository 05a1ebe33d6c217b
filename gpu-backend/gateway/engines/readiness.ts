// Owns whether the replicas serve the model that is asked for, and can be asked safely. Must not
// know calls or load.
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { EngineAddress } from "./engine-address.ts";
import type { EngineTokens } from "./engine-tokens.ts";
import type { Replica } from "./replicas.ts";

export interface Readiness {
  ok: boolean;
  /** A few words for people, never an address. */
  detail: string;
  latency_ms: number;
  /**
   * Tokens of the engines' tokenizers that model text is kept from forging, besides those of known
   * families; 0: none was told.
   */
  special_tokens: number;
}

/**
 * Ready when some healthy replica, that did not fail all its latest questions, serves the model, and no token of any engine survives the escape.
 * Never rejects; bounded by readiness_timeout_ms.
 */
export async function readiness(
  replicas: readonly Replica[],
  model: string,
  tokens: Pick<EngineTokens, "count" | "trouble">,
  now: () => number,
): Promise<Readiness> {
  const start = now();
  const troubles = await Promise.all(
    replicas.map(async ({ health, engine }) =>
      health.failing ? "failing" : health.healthy ? trouble(await modelsOf(engine), model) : "unhealthy",
    ),
  );
  const serving = troubles.filter((word) => word === null).length;
  const words = [...new Set(troubles.filter((word) => word !== null))].join(", ");
  const served = `${serving} of ${replicas.length} engines serve the model${words === "" ? "" : ` (${words})`}`;
  const { trouble: unbroken, count } = tokens;
  const detail = unbroken === "" ? served : unbroken;
  const ok = serving > 0 && unbroken === "";
  return { ok, detail, latency_ms: Math.max(0, now() - start), special_tokens: count };
}

/** The names in an engine's model list, or what is wrong, in a few words. Never rejects. */
export async function modelsOf(engine: EngineAddress): Promise<string[] | string> {
  try {
    const { status, text } = await engine.get(engine.models, LIMITS.readiness_timeout_ms);
    if (status === 401 || status === 403) return "key refused";
    if (status < 200 || status > 299) return `status ${status}`;
    const { data } = JSON.parse(text) as { data: { id: unknown }[] };
    return data.map(({ id }) => String(id));
  } catch (fault) {
    if (fault instanceof SyntaxError || fault instanceof TypeError) return "no model list";
    return fault instanceof Error && fault.name === "AbortError" ? "no answer in time" : "not reachable";
  }
}

const trouble = (models: string[] | string, model: string): string | null => {
  if (typeof models === "string") return models;
  return models.includes(model) ? null : "model not served";
};
