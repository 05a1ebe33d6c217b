// Converts a call into the settings of a chat-completions body, and the result of an exchange into an
// EngineAnswer. Independent of HTTP.
import type { ItemErrorCode } from "../../../src/core/faults/errors.ts";
import { thinkingOf } from "../../../src/core/text/thinking.ts";
import { judgeTemplate } from "../../../src/core/wire/judge-template.ts";
import { logprobsAsked } from "../../../src/core/wire/soft-answer.ts";
import { ANSWER_SEGMENT_CHARS } from "../../../src/core/wire/verify-protocol.ts";
import type { Exchange } from "./engine-stream.ts";
import type { EngineAnswer, EngineCall } from "./port.ts";

/** Errors after which the same question may succeed if asked again. */
const RETRYABLE = new Set<ItemErrorCode>(["verifier_unavailable", "verifier_overloaded", "deadline"]);

/**
 * The settings of a request's body, as a JSON object without the question and the engine-specific fields.
 * @param simulated whether the engine is the simulator, which also receives the template
 */
export function chatSettings(call: EngineCall, defaultModel: string, simulated = false): string {
  const { model, temperature, top_p, max_tokens, extra, seed, anchor, completion } = call;
  return JSON.stringify({
    ...extra,
    model: model ?? defaultModel,
    temperature,
    top_p,
    max_tokens,
    seed,
    ...(anchor !== null && logprobsAsked(completion)),
    ...(simulated && judgeTemplate(call.prompt ?? "")),
  });
}

/**
 * The result of a call, from its last exchange.
 * @param asked the requested model, used if the engine does not name its model
 * @param answer_chars maximum characters of the answer that are returned
 * @param spent tokens generated over all exchanges of the call, including failed ones
 */
export function answerOf(
  exchange: Exchange,
  { asked, answer_chars = ANSWER_SEGMENT_CHARS }: { asked: string; answer_chars?: number | undefined },
  start: number,
  end: number,
  spent: number,
): EngineAnswer {
  const { generation, first_token_at, tokens } = exchange;
  const failed = generation.error !== null;
  const segment = failed
    ? { answer: "", thinking: "none" as const }
    : segmentOf(generation.answer ?? "", generation.thinking, answer_chars);
  return {
    ...segment,
    finish_reason: generation.finish_reason,
    prompt_tokens: generation.prompt_tokens,
    completion_tokens: spent - tokens + (failed ? tokens : generation.completion_tokens),
    first_token_ms: first_token_at === null ? null : first_token_at - start,
    total_ms: end - start,
    soft: segment.thinking === "unclosed" || failed ? null : (generation.soft ?? null),
    model: failed ? null : (generation.model ?? asked),
    error: generation.error,
    reason: exchange.reason,
    ...(failed && exchange.retry_after_ms !== null && { retry_after_ms: exchange.retry_after_ms }),
    retryable: generation.error !== null && RETRYABLE.has(generation.error),
  };
}

/** The result of a call that ended without an exchange, or between two exchanges. */
export function withoutAnswer(error: ItemErrorCode, total_ms: number, spent: number): EngineAnswer {
  return {
    answer: "",
    thinking: "none",
    finish_reason: null,
    prompt_tokens: 0,
    completion_tokens: spent,
    first_token_ms: null,
    total_ms,
    soft: null,
    model: null,
    error,
    retryable: RETRYABLE.has(error),
  };
}

/**
 * The text after the last closing think tag. Unclosed thinking leaves no answer, so that no parser can read a
 * box inside it.
 */
function segmentOf(
  text: string,
  thinking: EngineAnswer["thinking"],
  chars: number,
): Pick<EngineAnswer, "answer" | "thinking"> {
  const { answer: start, lastClose, open } = thinkingOf(text, false);
  if (thinking === "unclosed" || open !== null) return { answer: "", thinking: "unclosed" };
  const answer = text.slice(Math.max(start, text.length - chars));
  return { answer, thinking: lastClose < 0 ? thinking : "closed" };
}
