// Owns why an engine refused a question: the words by which servers say "too long" and "filtered".
// Must not know HTTP or who asked.
import type { ItemErrorCode } from "./errors.ts";

/**
 * Verdicts on what was asked rather than failures of who was asked: they may be some candidate's
 * doing (attribution.ts).
 */
export const BLAMES_CONTENT: ReadonlySet<ItemErrorCode | null> = new Set(["context_exceeded", "content_filtered"]);

/** Why a refusal begins is said early; more would only be an echo of the question. */
export const REASON_CHARS = 4_096;

/**
 * OpenAI, vLLM, SGLang, llama.cpp, TGI, TEI, TensorRT-LLM, Mistral, xAI, Groq, and proxies that
 * speak like them.
 */
const TOO_LONG =
  /(context|model|input|prompt)['_ a-z]{0,12}[ _](length|window|size)|maximum allowed (input )?length|prompt is too long|reduce the length|less than \d+ tokens|max_new_tokens/i;

/** The budget for the answer alone is beyond the engine: the spec's doing, and no candidate's. */
const BUDGET = /max_(?:completion_|new_)?tokens\W{0,3}\d+\W{0,3}(?:cannot be|is) (?:greater|larger|more)/i;

/** OpenAI, Azure, Alibaba, DeepSeek, OpenRouter. */
const FILTERED =
  /content[ _-]?(filter|policy|management)|data_?inspection|inappropriate content|content exists risk|moderation/i;

/**
 * The code of a 4xx that concerns one question.
 * @param body the reply's body, or what of it is there
 */
export function questionFault(status: number, body: string): ItemErrorCode {
  const reason = body.slice(0, REASON_CHARS);
  if (FILTERED.test(reason)) return "content_filtered";
  if (BUDGET.test(reason)) return "verifier_rejected";
  return status === 413 || TOO_LONG.test(reason) ? "context_exceeded" : "verifier_rejected";
}
