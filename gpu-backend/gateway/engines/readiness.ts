// Checks whether the replicas serve the requested model and whether model text is escaped safely for them.
import { isKeyRefused, keyRefused } from "../../../src/core/faults/engine-reason.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { contextIn } from "../../../src/core/wire/chat-endpoint.ts";
import type { EngineAddress } from "./engine-address.ts";
import type { EngineTokens } from "./engine-tokens.ts";
import type { Replica } from "./replicas.ts";

export interface Readiness {
  ok: boolean;
  /** A short human-readable description. Never contains an address. */
  detail: string;
  latency_ms: number;
  /**
   * Number of special tokens of the engines' tokenizers that are escaped in model text, in addition to those
   * of known families; 0 if no engine reported any.
   */
  special_tokens: number;
  /** Context length in tokens, prompt and answer together: the smallest among the engines that report it. */
  context_tokens?: number;
}

const READ_WHOLE =
  "the engine streams few tokens per event, so answers are requested without streaming and repetition is not stopped early; start it with --stream-interval 256";

/**
 * Ready if a healthy replica serves the model and has not failed all its recent questions, and if no special
 * token survives the escape. Never rejects; bounded by readiness_timeout_ms.
 */
export async function readiness(
  replicas: readonly Replica[],
  model: string,
  tokens: Pick<EngineTokens, "count" | "trouble">,
  now: () => number,
): Promise<Readiness> {
  const start = now();
  const found = await Promise.all(
    replicas.map(async ({ health, engine }) =>
      health.failing ? "failing" : health.healthy ? lookedUp(await modelList(engine), model) : "unhealthy",
    ),
  );
  const troubles = found.filter((result) => typeof result === "string");
  const contexts = found.filter((result) => typeof result === "number");
  const serving = found.length - troubles.length;
  const notes = replicas.flatMap(({ unfit, form }) => [
    ...(unfit === null ? [] : [unfit]),
    ...(form.whole ? [READ_WHOLE] : []),
  ]);
  const words = [...new Set([...troubles, ...notes])].join(", ");
  const served = `${serving} of ${replicas.length} engines serve the model${words === "" ? "" : ` (${words})`}`;
  const { trouble: unbroken, count } = tokens;
  const detail = unbroken === "" ? served : unbroken;
  const ok = serving > 0 && unbroken === "";
  const context = contexts.length > 0 && { context_tokens: Math.min(...contexts) };
  return { ok, detail, latency_ms: Math.max(0, now() - start), special_tokens: count, ...context };
}

/** The names in an engine's model list; empty if the engine has no list. Never rejects. */
export async function modelsOf(engine: EngineAddress): Promise<string[]> {
  const list = await modelList(engine);
  return typeof list === "string" ? [] : list.data.map(({ id }) => String(id));
}

interface ModelList {
  data: readonly { id: unknown }[];
}

/** An engine's model list, or a short description of the problem. Never rejects. */
async function modelList(engine: EngineAddress): Promise<ModelList | string> {
  try {
    const { status, text } = await engine.get(engine.models, LIMITS.readiness_timeout_ms);
    if (isKeyRefused(status)) return keyRefused("ENGINE_API_KEY");
    if (status < 200 || status > 299) return `status ${status}`;
    const list = JSON.parse(text) as ModelList;
    return list.data.every((entry) => typeof entry === "object") ? list : "no model list";
  } catch (fault) {
    if (fault instanceof SyntaxError || fault instanceof TypeError) return "no model list";
    return fault instanceof Error && fault.name === "AbortError" ? "no answer in time" : "not reachable";
  }
}

/**
 * A short description of the problem, or the model's context length; null if the engine does not report the
 * length.
 */
function lookedUp(list: ModelList | string, model: string): string | number | null {
  if (typeof list === "string") return list;
  const context = contextIn(list, model);
  return context === undefined ? "model not served" : context;
}
