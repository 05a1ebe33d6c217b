// Defines what the mock verifier can do with one request: answers, refusals, faults. Must not know the
// server's bookkeeping.
import type { Behaviour } from "./mock-verifier.ts";

const SSE = { "content-type": "text/event-stream" };

/** One `data:` event. */
export const event = (value: unknown): string =>
  `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;

/** A stream chunk with one choice. */
export function chunk(delta: Record<string, unknown>, finish_reason: string | null = null): string {
  return event({ id: "mock", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
}

export const usageChunk = (prompt_tokens: number, completion_tokens: number): string =>
  event({ id: "mock", choices: [], usage: { prompt_tokens, completion_tokens } });

export interface AnswerOptions {
  reasoning?: string;
  /** The field in which reasoning is sent. */
  reasoning_field?: "reasoning" | "reasoning_content";
  finish_reason?: string | null;
  usage?: { prompt_tokens: number; completion_tokens: number } | null;
  done?: boolean;
  /** Characters a delta. */
  piece?: number;
  /** Comment frames before each delta, as keep-alive. */
  comments?: number;
  /** Gates: before the headers, and between headers and body. */
  before_headers?: Promise<unknown>;
  before_body?: Promise<unknown>;
}

function* pieces(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

/** The events of a whole streamed answer. */
export function answerEvents(text: string, options: AnswerOptions = {}): string[] {
  const { reasoning = "", reasoning_field = "reasoning_content", piece = 16, finish_reason = "stop" } = options;
  const { usage = { prompt_tokens: 11, completion_tokens: 7 }, done = true, comments = 0 } = options;
  const events = [chunk({ role: "assistant", content: "" })];
  for (const part of pieces(reasoning, piece)) events.push(chunk({ [reasoning_field]: part }));
  for (const part of pieces(text, piece)) events.push(chunk({ content: part }));
  if (finish_reason !== null) events.push(chunk({}, finish_reason));
  if (usage !== null) events.push(usageChunk(usage.prompt_tokens, usage.completion_tokens));
  if (done) events.push(event("[DONE]"));
  return comments === 0
    ? events
    : events.flatMap((text) => [...Array<string>(comments).fill(": keep-alive\n\n"), text]);
}

/** Streams an answer: headers at once, body at once, unless gated. */
export const answer =
  (text: string, options: AnswerOptions = {}): Behaviour =>
  async (reply) => {
    await options.before_headers;
    const body = answerEvents(text, options).join("");
    if (options.before_body === undefined) return reply.whole(200, SSE, body);
    reply.head(200, SSE);
    await options.before_body;
    reply.end(body);
  };

/** Streams the given texts or bytes, each written by itself, then ends in good order. */
export const raw =
  (parts: readonly (string | Uint8Array)[], headers: Record<string, string> = SSE): Behaviour =>
  (reply) => {
    reply.head(200, headers);
    for (const part of parts) reply.write(part);
    reply.end();
  };

/** Answers without streaming, as servers do that ignore `stream: true`. */
export const document =
  (message: Record<string, unknown>, finish_reason = "stop"): Behaviour =>
  (reply) =>
    reply.whole(
      200,
      { "content-type": "application/json" },
      JSON.stringify({
        id: "mock",
        choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
        usage: { prompt_tokens: 5, completion_tokens: 3 },
      }),
    );

/** A refusal with an OpenAI error object, e.g. `status(429, { "retry-after": "1" })`. */
export const status =
  (code: number, headers: Record<string, string> = {}, error: Record<string, unknown> = {}): Behaviour =>
  (reply) =>
    reply.whole(
      code,
      { "content-type": "application/json", ...headers },
      JSON.stringify({ error: { message: "scripted", code, ...error } }),
    );

/** The engine's answer to a prompt beyond its context. */
export const contextLength = (): Behaviour =>
  status(
    400,
    {},
    {
      message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
      type: "BadRequestError",
      param: "messages",
    },
  );

/** A refusal whose body breaks off after it has said why. */
export const cutRefusal = (): Behaviour => async (reply) => {
  reply.head(400, { "content-type": "application/json" });
  reply.write('{"error":{"message":"The input (61709 tokens) is longer than the model\'s context length (40960');
  await reply.reset();
};

/** Resets the connection before any header. */
export const reset = (): Behaviour => (reply) => reply.reset();

/** Never answers. */
export const silence = (): Behaviour => () => {};

/** Sends headers and some events, then nothing for ever. */
export const stall =
  (parts: readonly string[] = [chunk({ content: "so far" })]): Behaviour =>
  (reply) => {
    reply.head(200, SSE);
    for (const part of parts) reply.write(part);
  };

/**
 * Sends headers and some events, then breaks: by a reset, or by ending in good order without the
 * rest.
 */
export const cut =
  (how: "reset" | "end", parts: readonly string[] = [chunk({ content: "so far" })]): Behaviour =>
  (reply) => {
    reply.head(200, SSE);
    for (const part of parts) reply.write(part);
    if (how === "reset") return reply.reset();
    else reply.end();
  };
