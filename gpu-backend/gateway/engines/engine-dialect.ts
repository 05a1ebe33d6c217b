// The body of a request, with fields beyond OpenAI's API by kind of engine.
import type { EngineKind } from "./gauges.ts";

/** Request fields that only some engines support. */
export interface Extras {
  /** Lower values go first; 0 is the default. */
  priority: number;
  /** Id by which SGLang can abort the request; null for other engines. */
  rid: string | null;
  /** Whether the answer is requested as one document instead of a stream. */
  whole: boolean;
}

/**
 * The complete JSON body of a request. On request, vLLM and SGLang count the tokens in every chunk; with
 * several tokens per chunk (`--stream-interval`), only that count shows how many tokens an aborted generation
 * cost. Other engines receive no extra fields, because strict servers reject unknown ones.
 * @param settings a JSON object without the question, `stream` and `stream_options`
 * @param question the member of the question, in pieces of UTF-8, which the body shares
 */
export function engineBody(
  settings: string,
  question: readonly Uint8Array[],
  kind: EngineKind | "other" | null,
  { priority, rid, whole }: Extras,
): Uint8Array[] {
  const known = kind === "vllm" || kind === "sglang";
  const fields = {
    stream: !whole,
    ...(!whole && { stream_options: { include_usage: true, ...(known && { continuous_usage_stats: true }) } }),
    ...(known && priority !== 0 && { priority }),
    ...(rid !== null && { rid }),
  };
  const [head, tail] = [`${settings.slice(0, -1)},`, `,${JSON.stringify(fields).slice(1)}`];
  return [Buffer.from(head), ...question, Buffer.from(tail)];
}

/**
 * Whether an engine rejected a request because of its priority. vLLM does so without `--scheduling-policy
 * priority`.
 * @param said the body of the rejection, possibly truncated
 */
export const refusesPriority = (said: string): boolean =>
  /priority.{0,80}\b(?:not|off|disabled|unsupported|extra|forbidden)\b/is.test(said);
