// Owns the wire shapes of the simulated engine: the request it takes, chunks, replies and errors of
// its flavours. Knows no engine.
import * as z from "zod";
import { CompletionRequestSchema, estimateTokens } from "../cpu/completion.ts";
import { type Answer, logprobsOf } from "./answer.ts";

/** Whose names and error shapes it takes on. */
export type Flavour = "vllm" | "sglang";

/**
 * What a server does with thinking: leaves it in `content` between its tags, or sends it apart
 * under a name.
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
});
export type SimulatedRequest = z.output<typeof RequestSchema>;

/** All messages as one text, and its length in tokens of four characters. */
export function promptOf(request: SimulatedRequest): { text: string; tokens: number } {
  const text = request.messages
    .map(({ role, content }) => {
      const body = typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
      return `${role}\n${body}\n`;
    })
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

/** One answer on the wire, whole or as SSE. */
export class Wire {
  readonly #answer: Answer;
  readonly #base: { id: string; created: number; model: string };
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
    field: ThinkingField;
    top_logprobs: number | null;
    prompt_tokens: number;
  }) {
    this.#answer = options.answer;
    this.#base = { id: options.id, created: options.created, model: options.model };
    this.#field = options.field;
    this.#top = options.top_logprobs;
    this.#promptTokens = options.prompt_tokens;
    const base = JSON.stringify({ ...this.#base, object: "chat.completion.chunk" }).slice(0, -1);
    this.#head = `data: ${base},"choices":[{"index":0,"delta":`;
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
    const usage = { ...this.#base, object: "chat.completion.chunk", choices: [], usage: this.#usage(generated) };
    return `${last}data: ${JSON.stringify(usage)}\n\n`;
  }

  /** A `chat.completion` of the first `generated` tokens. */
  whole(finish_reason: string, generated: number): string {
    const { thinking, content } = this.#answer.text(0, generated);
    const message =
      this.#field === "content"
        ? { role: "assistant", content: thinking + content }
        : { role: "assistant", content: content === "" ? null : content, [this.#field]: thinking };
    const choice = { index: 0, message, logprobs: this.#logprobs(0, generated), finish_reason };
    const usage = this.#usage(generated);
    return JSON.stringify({ ...this.#base, object: "chat.completion", choices: [choice], usage });
  }

  #chunk(delta: object, from: number, to: number, finish_reason: string | null): string {
    const logprobs = JSON.stringify(this.#logprobs(from, to));
    const reason = JSON.stringify(finish_reason);
    return `${this.#head}${JSON.stringify(delta)},"logprobs":${logprobs},"finish_reason":${reason}}]}\n\n`;
  }

  #logprobs(from: number, to: number): object | null {
    if (this.#top === null || to <= from) return null;
    return { content: logprobsOf(this.#answer, from, to, this.#top) };
  }

  #usage(completion_tokens: number): object {
    const prompt_tokens = this.#promptTokens;
    return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  }
}

/** What a runner can do to the client's connection; null where the runtime does not let it. */
export interface Connection {
  /** Resets it (RST). */
  reset(): void;
  /** Ends it in the middle of a reply. */
  cut(): void;
}
