// Defines what is asked of an engine beyond OpenAI's fields, by its kind. Must not know HTTP, nor what
// becomes of a request.
import type { EngineKind } from "./gauges.ts";

/** One request's fields that not every engine knows. */
export interface Extras {
  /** Lower goes first; 0 is what all have that say nothing. */
  priority: number;
  /** The request's name, by which SGLang is asked to give it up. */
  rid: string | null;
  /** Whether the answer comes as one document. */
  whole: boolean;
}

/**
 * A request's whole JSON text. vLLM and SGLang count the tokens in every chunk when asked to: with several
 * tokens a chunk (`--stream-interval`) only that says how many a cut generation cost. Strict servers refuse
 * fields that they do not know, so others get none of these.
 * @param body a JSON object without `stream` and `stream_options`
 */
export function engineBody(body: string, kind: EngineKind | "other" | null, { priority, rid, whole }: Extras): string {
  const known = kind === "vllm" || kind === "sglang";
  const fields = {
    stream: !whole,
    ...(!whole && { stream_options: { include_usage: true, ...(known && { continuous_usage_stats: true }) } }),
    ...(known && priority !== 0 && { priority }),
    ...(rid !== null && { rid }),
  };
  return `${body.slice(0, -1)},${JSON.stringify(fields).slice(1)}`;
}

/**
 * Whether an engine refused a request for its priority: vLLM does where it was started without
 * `--scheduling-policy priority`.
 * @param said the refusal's body, or what of it is there
 */
export const refusesPriority = (said: string): boolean =>
  /priority.{0,80}\b(?:not|off|disabled|unsupported|extra|forbidden)\b/is.test(said);
