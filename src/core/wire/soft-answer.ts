// Defines what an answer asked for with log probabilities comes to: the labels' probabilities beside it, or
// why it is none. Must not know how an answer is read.
import type { ItemErrorCode } from "../faults/errors.ts";
import { type SoftReader, TOP_LOGPROBS } from "../judges/soft-reader.ts";
import type { GenerationParts } from "./chat-answer.ts";

/** The fields of a request that ask for log probabilities, in OpenAI's two ways. */
export const logprobsAsked = (completion: boolean): object =>
  completion ? { logprobs: TOP_LOGPROBS } : { logprobs: true, top_logprobs: TOP_LOGPROBS };

/**
 * The answer with its soft labels. One without any alternatives for its tokens has failed with
 * `logprobs_unavailable`, one whose values are not log probabilities with `verifier_bad_reply`.
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
