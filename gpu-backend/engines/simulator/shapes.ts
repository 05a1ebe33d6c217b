// The wire shapes of the simulated engine: the request it takes, chunks, replies and errors of its flavours.
import * as z from "zod";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { JUDGE_TEMPLATE } from "../../../src/core/wire/judge-template.ts";
import { CompletionRequestSchema, estimateTokens } from "../cpu/completion.ts";
import { type Answer, logprobsOf } from "./answer.ts";
import type { AskedMessage } from "./judge-prompt.ts";

/** The server whose names and error shapes it takes on. */
export type Flavour = "vllm" | "sglang";

/**
 * A server's way with thinking: it leaves it in `content` between its tags, or sends it apart under a name.
 */
export type ThinkingField = "content" | "reasoning" | "reasoning_content";

/** Fields it does not know are ignored. */
export const RequestSchema = CompletionRequestSchema.extend({
  model: z.string(),
  seed: z.int().nullish(),
  temperature: z.number().min(0).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  priority: z.int().nullish(),
  rid: z.string().max(256).nullish(),
  /** The template in whose words it is asked, where that is not a preset. */
  [JUDGE_TEMPLATE]: z.string().max(LIMITS.template_chars).nullish(),
});
export type SimulatedRequest = z.output<typeof RequestSchema>;

/** A request to `/v1/completions` as one to chat: its raw text is the only message. */
export function fromText(request: unknown): unknown {
  if (typeof request !== "object" || request === null) return request;
  const { prompt: content, logprobs, ...rest } = request as Record<string, unknown>;
  const top = typeof logprobs === "number" ? { logprobs: true, top_logprobs: logprobs } : {};
  return { ...rest, ...top, messages: typeof content === "string" ? [{ role: "user", content }] : undefined };
}

/** The messages with their parts put together. */
export const messagesOf = ({ messages }: Pick<SimulatedRequest, "messages">): AskedMessage[] =>
  messages.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join(""),
  }));

/** All messages as one text, and its length in tokens of four characters. */
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

/** An error as the flavour words it: vLLM nests it, SGLang does not. */
export function errorReply(
  flavour: Flavour,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const error = { message, type: TYPES[status] ?? "Error", param: null, code: status };
  return Response.json(flavour === "vllm" ? { error } : { object: "error", ...error }, { status, headers });
}

/** `text`: of `/v1/completions`, where a choice is a text and contains the thinking. */
export type WireForm = "chat" | "text";

/** One answer on the wire, whole or as SSE. */
export class Wire {
  readonly #answer: Answer;
  readonly #base: { id: string; created: number; model: string; system_fingerprint: string };
  readonly #form: WireForm;
  readonly #field: ThinkingField;
  readonly #top: number | null;
  readonly #promptTokens: number;
  /** A chunk up to its delta: there are hundreds an answer. */
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

  /** A chunk's kind; of raw completions a whole reply has the same. */
  get #object(): string {
    return this.#form === "text" ? "text_completion" : "chat.completion.chunk";
  }

  /** The first event: the role, no text. */
  role(): string {
    return this.#chunk({ role: "assistant", content: "" }, 0, 0, null);
  }

  /** Events for tokens `from`..`to`; thinking and answer are never in one event. */
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

  /** A `chat.completion` of the first `generated` tokens. */
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

/** A runner's control over the client's connection; null where the runtime gives none. */
export interface Connection {
  /** Resets it (RST). */
  reset(): void;
  /** Ends it in the middle of a reply. */
  cut(): void;
}
