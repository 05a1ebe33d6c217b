// Adds the label probabilities to an answer that was requested with log probabilities, or marks the answer as
// failed if they cannot be used. Must not depend on how an answer is parsed.
import type { ItemErrorCode } from "../faults/errors.ts";
import { type SoftReader, TOP_LOGPROBS } from "../judges/soft-reader.ts";
import type { GenerationParts } from "./chat-answer.ts";

/** The request fields that ask for log probabilities, in OpenAI's format for raw completions or for chat. */
export const logprobsAsked = (completion: boolean): object =>
  completion ? { logprobs: TOP_LOGPROBS } : { logprobs: true, top_logprobs: TOP_LOGPROBS };

/**
 * Adds the label probabilities to an answer. If no token has alternatives, the answer fails with
 * `logprobs_unavailable`; if some values are not log probabilities, with `verifier_bad_reply`.
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
