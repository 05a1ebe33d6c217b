// Owns what an answer asked for with log probabilities comes to: the labels' probabilities beside
// it, or why it is none. Must not know how an answer is read.
import type { ItemErrorCode } from "../faults/errors.ts";
import { type SoftReader, TOP_LOGPROBS } from "../judges/soft-reader.ts";
import type { GenerationParts } from "./chat-answer.ts";

/** What a request's body says to get log probabilities, by OpenAI's two ways of asking. */
export const logprobsAsked = (completion: boolean): object =>
  completion ? { logprobs: TOP_LOGPROBS } : { logprobs: true, top_logprobs: TOP_LOGPROBS };

/**
 * The answer with what was found on the way. One without any alternatives for its tokens has failed
 * with `logprobs_unavailable`, one whose values are no log probabilities with `verifier_bad_reply`.
 */
export function softened(answered: GenerationParts, reader: SoftReader | null): GenerationParts {
  const { answer, thinking } = answered;
  if (reader === null || answer === null) return answered;
  if (thinking === "unclosed" || answer.trim() === "") return { ...answered, soft: null };
  const code: ItemErrorCode | null = reader.wrong
    ? "verifier_bad_reply"
    : reader.silent
      ? "logprobs_unavailable"
      : null;
  if (code === null) return { ...answered, soft: reader.labels };
  return { ...answered, answer: null, thinking: "none", finish_reason: null, error: code, model: null };
}
