// Adds the label probabilities to an answer that was requested with log probabilities, or fails the answer if
// they cannot be used. Must not know how an answer is read.
import type { ItemErrorCode } from "../faults/errors.ts";
import { type SoftReader, TOP_LOGPROBS } from "../judges/soft-reader.ts";
import type { GenerationParts } from "./chat-answer.ts";

/** The request fields that ask for log probabilities, in OpenAI's form for raw completions or for chat. */
export const logprobsAsked = (completion: boolean): object =>
  completion ? { logprobs: TOP_LOGPROBS } : { logprobs: true, top_logprobs: TOP_LOGPROBS };

/**
 * Adds soft labels to an answer. An answer without alternatives for any token fails with
 * `logprobs_unavailable`, an answer with values that are not log probabilities with `verifier_bad_reply`.
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
