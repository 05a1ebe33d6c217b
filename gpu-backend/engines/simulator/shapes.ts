// Wire formats of the simulated engine: requests, chunks, replies, and the errors of each flavour.
import * as z from "zod";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { JUDGE_TEMPLATE } from "../../../src/core/wire/judge-template.ts";
import { CompletionRequestSchema, estimateTokens } from "../cpu/completion.ts";
import { type Answer, logprobsOf } from "./answer.ts";
import type { AskedMessage } from "./judge-prompt.ts";

/** The server whose names and error formats are imitated. */
export type Flavour = "vllm" | "sglang";

/**
 * Where a server puts the thinking: in `content` between think tags, or in a separate field with this name.
 */
export type ThinkingField = "content" | "reasoning" | "reasoning_content";

/** The request schema. Unknown fields are ignored. */
export const RequestSchema = CompletionRequestSchema.extend({
  model: z.string(),
  seed: z.int().nullish(),
  temperature: z.number().min(0).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  priority: z.int().nullish(),
  rid: z.string().max(256).nullish(),
  /** The template of the prompt, if the prompt is not from a preset. */
  [JUDGE_TEMPLATE]: z.string().max(LIMITS.template_chars).nullish(),
});
export type SimulatedRequest = z.output<typeof RequestSchema>;

/** Converts a `/v1/completions` request into a chat request with the raw prompt as the only message. */
export function fromText(request: unknown): unknown {
  if (typeof request !== "object" || request === null) return request;
  const { prompt: content, logprobs, ...rest } = request as Record<string, unknown>;
  const top = typeof logprobs === "number" ? { logprobs: true, top_logprobs: logprobs } : {};
  return { ...rest, ...top, messages: typeof content === "string" ? [{ role: "user", content }] : undefined };
}

/** The messages with their content parts joined. */
export const messagesOf = ({ messages }: Pick<SimulatedRequest, "messages">): AskedMessage[] =>
  messages.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join(""),
  }));

/** All messages joined into one string, and its length in tokens of four characters. */
export function promptOf(request: Pick<SimulatedRequest, "messages">): { text: string; tokens: number } {
  const text = messagesOf(request)
    .map(({ role, content }) => `${role}\n${content}\n`)
    .join("");
  return { text, tokens: estimateTokens(text) };
}

const TYPES: Record<number, string> = {
  400: "BadRequestError",
  404: "NotFoundError",
  413: "BadRequestError",
  429: "RateLimitError",
  500: "InternalServerError",
  501: "NotImplementedError",
  503: "ServiceUnavailableError",
};

/** An error in the format of the flavour: vLLM nests the error, SGLang does not. */
export function errorReply(
  flavour: Flavour,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const error = { message, type: TYPES[status] ?? "Error", param: null, code: status };
  return Response.json(flavour === "vllm" ? { error } : { object: "error", ...error }, { status, headers });
}

/** `text`: the format of `/v1/completions`, where a choice is one string that includes the thinking. */
export type WireForm = "chat" | "text";

/** Serializes one answer, as a complete reply or as SSE events. */
export class Wire {
  readonly #answer: Answer;
  readonly #base: { id: string; created: number; model: string; system_fingerprint: string };
  readonly #form: WireForm;
  readonly #field: ThinkingField;
  readonly #top: number | null;
  readonly #promptTokens: number;
  /** The start of a chunk, up to its delta. Built once, because an answer has hundreds of chunks. */
  readonly #head: string;

  /** @param options.top_logprobs null: no log probabilities */
  constructor(options: {
    answer: Answer;
    id: string;
    created: number;
    model: string;
    form: WireForm;
    field: ThinkingField;
    top_logprobs: number | null;
    prompt_tokens: number;
  }) {
    this.#answer = options.answer;
    this.#base = {
      id: options.id,
      created: options.created,
      model: options.model,
      system_fingerprint: "simulated",
    };
    this.#form = options.form;
    this.#field = options.field;
    this.#top = options.top_logprobs;
    this.#promptTokens = options.prompt_tokens;
    const base = JSON.stringify({ ...this.#base, object: this.#object }).slice(0, -1);
    this.#head = `data: ${base},"choices":[{"index":0,`;
  }

  /** The object type of a chunk; a complete reply to a raw completion has the same type. */
  get #object(): string {
    return this.#form === "text" ? "text_completion" : "chat.completion.chunk";
  }

  /** The first event: the role without content. */
  role(): string {
    return this.#chunk({ role: "assistant", content: "" }, 0, 0, null);
  }

  /** Events for tokens `from`..`to`. An event never mixes thinking and answer. */
  deltas(from: number, to: number): string[] {
    const middle = this.#answer.thinking_end;
    if (from >= to) return [];
    if (from < middle && middle < to) return [...this.deltas(from, middle), ...this.deltas(middle, to)];
    const { thinking, content } = this.#answer.text(from, to);
    const delta = from < middle ? { [this.#field]: thinking } : { content };
    return [this.#chunk(delta, from, to, null)];
  }

  /** The last events, without `[DONE]`. */
  end(finish_reason: string, generated: number, withUsage: boolean): string {
    const last = this.#chunk({}, 0, 0, finish_reason);
    if (!withUsage) return last;
    const usage = { ...this.#base, object: this.#object, choices: [], usage: this.#usage(generated) };
    return `${last}data: ${JSON.stringify(usage)}\n\n`;
  }

  /** The complete reply with the first `generated` tokens. */
  whole(finish_reason: string, generated: number): string {
    const { thinking, content } = this.#answer.text(0, generated);
    const logprobs = this.#logprobs(0, generated);
    const usage = this.#usage(generated);
    if (this.#form === "text") {
      const choices = [{ index: 0, text: thinking + content, logprobs, finish_reason }];
      return JSON.stringify({ ...this.#base, object: this.#object, choices, usage });
    }
    const message =
      this.#field === "content"
        ? { role: "assistant", content: thinking + content }
        : { role: "assistant", content: content === "" ? null : content, [this.#field]: thinking };
    const choice = { index: 0, message, logprobs, finish_reason };
    return JSON.stringify({ ...this.#base, object: "chat.completion", choices: [choice], usage });
  }

  #chunk(
    delta: { role?: string; content?: string } & { [field in ThinkingField]?: string },
    from: number,
    to: number,
    finish_reason: string | null,
  ): string {
    const text = (delta[this.#field] ?? "") + (this.#field === "content" ? "" : (delta.content ?? ""));
    const said = this.#form === "text" ? `"text":${JSON.stringify(text)}` : `"delta":${JSON.stringify(delta)}`;
    const logprobs = JSON.stringify(this.#logprobs(from, to));
    const reason = JSON.stringify(finish_reason);
    return `${this.#head}${said},"logprobs":${logprobs},"finish_reason":${reason}}]}\n\n`;
  }

  #logprobs(from: number, to: number): object | null {
    if (this.#top === null || to <= from) return null;
    const content = logprobsOf(this.#answer, from, to, this.#top);
    if (this.#form !== "text") return { content };
    return {
      tokens: content.map(({ token }) => token),
      token_logprobs: content.map(({ logprob }) => logprob),
      top_logprobs: content.map(({ top_logprobs }) =>
        Object.fromEntries(top_logprobs.map(({ token, logprob }) => [token, logprob])),
      ),
    };
  }

  #usage(completion_tokens: number): object {
    const prompt_tokens = this.#promptTokens;
    return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  }
}

/** Control over the client's connection; null if the runtime gives none. */
export interface Connection {
  /** Resets the connection (RST). */
  reset(): void;
  /** Closes the connection in the middle of a reply. */
  cut(): void;
}
