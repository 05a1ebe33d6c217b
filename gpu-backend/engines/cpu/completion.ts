// OpenAI chat-completion types: request, chunks, complete reply, errors, and a token estimate.
import { z } from "zod";

export const MODEL = "kritai-cpu-verifier";

const ContentSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);

/** Accepts what an OpenAI server accepts; unknown fields are ignored. */
export const CompletionRequestSchema = z.looseObject({
  model: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: ContentSchema.nullish() })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  n: z.literal(1).nullish(),
});
export type CompletionRequest = z.output<typeof CompletionRequestSchema>;

/** The text of the last user message; empty if there is none. */
export function userText(request: CompletionRequest): string {
  const content = request.messages.findLast((m) => m.role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

const CHARS_PER_TOKEN = 4;

/** Estimates tokens without a tokenizer: four characters per token. */
export const estimateTokens = (text: string) => Math.ceil(text.length / CHARS_PER_TOKEN);

export interface Answer {
  text: string;
  finish_reason: "stop" | "length";
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

/** Truncates the answer to the request's max_tokens and counts its tokens. */
export function limitAnswer(request: CompletionRequest, full: string): Answer {
  const tokensMax = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const text = full.slice(0, tokensMax * CHARS_PER_TOKEN);
  const prompt_tokens = request.messages.reduce((sum, m) => sum + estimateTokens(JSON.stringify(m.content ?? "")), 0);
  const completion_tokens = estimateTokens(text);
  return {
    text,
    finish_reason: text.length < full.length ? "length" : "stop",
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

interface Head {
  id: string;
  created: number;
}

/** Builds a `chat.completion` object. */
export function completion({ id, created }: Head, answer: Answer): object {
  const message = { role: "assistant", content: answer.text, refusal: null };
  return {
    id,
    object: "chat.completion",
    created,
    model: MODEL,
    choices: [{ index: 0, message, logprobs: null, finish_reason: answer.finish_reason }],
    usage: answer.usage,
  };
}

/** Builds a `chat.completion.chunk` object. */
export function chunk({ id, created }: Head, delta: object, finish_reason: string | null = null): object {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
  return { id, object: "chat.completion.chunk", created, model: MODEL, choices };
}

/** The last chunk of a stream if the request asked for usage. */
export function usageChunk({ id, created }: Head, answer: Answer): object {
  return { id, object: "chat.completion.chunk", created, model: MODEL, choices: [], usage: answer.usage };
}

/** Splits an answer into lines, so that the client sees a stream. */
export const pieces = (text: string) => text.split(/(?<=\n)/);

export type ErrorType = "invalid_request_error" | "server_error" | "rate_limit_error";

/** Builds an OpenAI-style error object. */
export function errorBody(
  message: string,
  type: ErrorType,
  code: string | null = null,
  param: string | null = null,
): object {
  return { error: { message, type, param, code } };
}
