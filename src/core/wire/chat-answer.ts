// Assembles an answer from an OpenAI-style reply, which is either a stream of events or a single document.
// Must not depend on HTTP, slots or retries.
import type { ItemErrorCode } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { questionFault } from "../faults/question-fault.ts";
import type { SoftLabels } from "../judges/soft-reader.ts";
import { withoutThoughts } from "../text/thinking.ts";
import { tokensIn } from "./answer-tokens.ts";
import { isRetriedStatus, passingFaultOf } from "./chat-retry.ts";

/** The result of one request: those parts of a Generation (questions.ts) that the backend determines. */
export interface GenerationParts {
  /** The answer without reasoning fields; null if the generation failed. */
  answer: string | null;
  thinking: "none" | "closed" | "unclosed";
  finish_reason: string | null;
  error: ItemErrorCode | null;
  prompt_tokens: number;
  completion_tokens: number;
  /** The model's name in the reply; null if the reply lacks a name or an answer. */
  model: string | null;
  /** Human-readable reason why the backend rejected the question (see engine-reason.ts), if it gave one. */
  reason?: string | null;
  /**
   * How long the backend asked to wait before a retry, in milliseconds; omitted or null if it did not say.
   */
  retry_after_ms?: number | null;
  /** Label probabilities, if the answer is a soft vote (see soft-answer.ts). */
  soft?: SoftLabels | null;
}

/** Observes an answer while it streams in. */
export interface AnswerObserver {
  /**
   * Receives a piece of generated text, including thoughts, in order. A piece of reasoning may still be
   * JSON-escaped.
   */
  text(piece: string): void;
  /**
   * Receives the tokens of a piece (`choices[0].logprobs.content`), unchanged.
   * @param answering false if the piece contains only reasoning
   */
  logprobs?(tokens: readonly unknown[], answering: boolean): void;
}

/** Finish reasons with which engines give up on a generation. What was generated so far is not an answer. */
const ABORTED = new Set(["abort", "error"]);

/** Finish reason if the server's filter cut off the answer: the question was rejected and not judged. */
const FILTERED = "content_filter";

const MALFORMED: ItemErrorCode = "verifier_bad_reply";

/** Failures caused by the engine and not by the question. */
const OWN_FAULTS: ReadonlySet<ItemErrorCode> = new Set([MALFORMED, "verifier_unavailable", "verifier_overloaded"]);

const BACKSLASH = 92;

/**
 * Length above which the answer is searched for think tags, so that text which no parser reads can be
 * dropped.
 */
const COMPACT_CHARS = 65_536;

type StreamChunk = Record<string, unknown>;

const isObject = (value: unknown): value is StreamChunk =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads a token count. Returns 0 for a value that no engine can mean, because such a value would break the
 * sums and the columns of the log.
 */
const tokens = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= LIMITS.usage_tokens_max
    ? (value as number)
    : 0;

const NO_COST = { prompt_tokens: 0, completion_tokens: 0, model: null } as const;

/** Maximum length of a model's name. */
const MODEL_CHARS_MAX = 256;

/** The parts of a Generation for a reply without an answer. */
export function failed(error: ItemErrorCode): GenerationParts {
  return { answer: null, thinking: "none", finish_reason: null, error, ...NO_COST };
}

/**
 * Whether an event contains a piece of reasoning and nothing else, in the compact JSON that engines write.
 * Most events in the stream of a thinking model are of this kind. Quotes inside JSON strings are escaped, so
 * these keys cannot come from model text.
 */
function isOnlyReasoning(data: string): boolean {
  if (!data.includes('"finish_reason":null')) return false;
  const key = data.indexOf('"reasoning');
  if (key === -1 || data.startsWith('":null', key + 10) || data.startsWith('_content":null', key + 10)) return false;
  if (data.startsWith('":""', key + 10) || data.startsWith('_content":""', key + 10)) return false;
  // The key may occur in the delta and in the list of log probabilities.
  for (let at = data.indexOf('"content":'); at !== -1; at = data.indexOf('"content":', at + 10)) {
    if (data[at + 10] !== "[" && !data.startsWith("null", at + 10)) return false;
  }
  return !data.includes('"error"');
}

/** Returns the token count in a reasoning event, or 0 if the engine sends none. */
function countIn(data: string): number {
  const usage = data.lastIndexOf('"usage":{');
  const key = usage === -1 ? -1 : data.indexOf('"completion_tokens":', usage);
  return key === -1 ? 0 : tokens(Number.parseInt(data.slice(key + 20, key + 36), 10));
}

/**
 * Returns the start and end of the reasoning string, without its quotes, in an event that passes
 * `isOnlyReasoning`.
 */
function reasoningIn(data: string): [from: number, to: number] {
  const from = data.indexOf('":"', data.indexOf('"reasoning')) + 3;
  for (let to = data.indexOf('"', from); to !== -1; to = data.indexOf('"', to + 1)) {
    let escapes = 0;
    while (data.charCodeAt(to - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return [from, to];
  }
  return [from, data.length];
}

function isEscaped(data: string, from: number, to: number): boolean {
  const at = data.indexOf("\\", from);
  return at !== -1 && at < to;
}

/**
 * The text around the piece in an event that contains only a piece. Other events of the same stream have the
 * same frame, so they need no parsing.
 */
class PieceFrame {
  readonly answering: boolean;
  readonly #before: string;
  readonly #after: string;

  /** @param answering true for a piece of the answer, false for a piece of reasoning */
  constructor(data: string, [from, to]: readonly [number, number], answering: boolean) {
    this.#before = data.slice(0, from);
    this.#after = data.slice(to);
    this.answering = answering;
  }

  /**
   * Returns the start and end of the piece in an event with the same frame. Returns null if the frame differs
   * or the event must be parsed.
   */
  pieceIn(data: string): [from: number, to: number] | null {
    const from = this.#before.length;
    const to = data.length - this.#after.length;
    if (to <= from || data.indexOf('"', from) !== to) return null;
    if (this.answering ? isEscaped(data, from, to) : data.charCodeAt(to - 1) === BACKSLASH) return null;
    // Faster in V8 than startsWith and endsWith with a sliced string.
    return data.slice(0, from) === this.#before && data.slice(to) === this.#after ? [from, to] : null;
  }
}

/**
 * Returns the frame of an event that contains a piece of the answer. Returns null if later events may differ
 * in more than the piece.
 */
function answerFrame(data: string, piece: string): PieceFrame | null {
  const key = data.indexOf('"content":"');
  const from = key + 11;
  const to = data.indexOf('"', from);
  if (key === -1 || data.slice(from, to) !== piece || data.indexOf('"content"', to) !== -1) return null;
  // With a frame, reasoning and log probabilities would be skipped, but an observer needs them from every
  // event.
  return /"(?:reasoning|logprobs":\{)/.test(data) ? null : new PieceFrame(data, [from, to], true);
}

/**
 * Returns the error code for an error inside a reply with status 200, whose `code` is read as an HTTP status.
 * An error that cannot be classified makes the reply unreadable.
 */
function refusalCode(error: unknown): ItemErrorCode {
  const status = Number((isObject(error) ? error.code : null) ?? Number.NaN);
  if (isRetriedStatus(status)) return passingFaultOf(status);
  if (status >= 500) return "verifier_unavailable";
  const code = questionFault(status >= 400 ? status : 400, JSON.stringify({ error }));
  return code === "verifier_rejected" && !(status >= 400) ? MALFORMED : code;
}

/** Builds the answer from the first choice of a reply. Feed it events or one document, then call `result`. */
export class AnswerBuilder {
  readonly #observer: AnswerObserver | null;
  #pieces = 0;
  #engineFailed = false;
  #text = "";
  #reasoned = false;
  #hasAnswer = false;
  #finish: string | null = null;
  #done = false;
  #error: ItemErrorCode | null = null;
  #prompt_tokens = 0;
  #completion_tokens = 0;
  #model: string | null = null;
  #compactAt = COMPACT_CHARS;
  #frame: PieceFrame | null = null;

  constructor(observer: AnswerObserver | null = null) {
    this.#observer = observer;
  }

  /**
   * Number of events so far that contained text. Engines send one event per token or put several tokens into
   * one event, but never split a token.
   */
  get pieces(): number {
    return this.#pieces;
  }

  /**
   * Number of tokens generated so far: the engine's count, or the number of pieces if the engine sent no
   * count.
   */
  get tokens(): number {
    return Math.max(this.#completion_tokens, this.#pieces);
  }

  /**
   * Whether the engine gave up, either explicitly or by ending the reply before the answer was complete.
   * Valid only at the end of the reply.
   */
  get engineFailed(): boolean {
    const broken = this.#error === null && this.#finish === null && !this.#done;
    return broken || this.#engineFailed || (this.#finish !== null && ABORTED.has(this.#finish));
  }

  /** Ends the answer early, at the reader's request. No further events may be fed. */
  cut(reason: string): void {
    this.#finish = reason;
    this.#completion_tokens = this.tokens;
  }

  /** Processes the data of one event. Returns false if the rest of the stream cannot matter. */
  event(data: string): boolean {
    const same = this.#frame?.pieceIn(data);
    if (same) return this.#framed(data, same);
    if (this.#reasoned && isOnlyReasoning(data)) {
      const count = countIn(data);
      const place = reasoningIn(data);
      this.#pieces++;
      this.#completion_tokens = Math.max(this.#completion_tokens, count);
      this.#observer?.text(data.slice(...place));
      if (count === 0) this.#frame = new PieceFrame(data, place, false);
      return true;
    }
    if (data === "[DONE]") {
      this.#done = true;
      return true;
    }
    try {
      const before = this.#text;
      this.#error = this.#chunk(JSON.parse(data));
      if (this.#error === null && this.#text.length > before.length)
        this.#frame = answerFrame(data, this.#text.slice(before.length)) ?? this.#frame;
    } catch {
      // Some servers put one line break instead of two between events.
      if (data.includes("\n")) return data.split("\n").every((line) => line === "" || this.event(line));
      this.#error = MALFORMED;
    }
    return this.#error === null;
  }

  /** Processes the piece of an event that has the known frame. */
  #framed(data: string, [from, to]: readonly [number, number]): boolean {
    const answering = this.#frame?.answering === true;
    this.#pieces++;
    if (this.#observer !== null) this.#observer.text(data.slice(from, to));
    if (answering) this.#error = this.#say(data.slice(from, to));
    return this.#error === null;
  }

  /** Processes the whole reply of a server that does not stream. */
  document(text: string): void {
    this.#done = true;
    try {
      const reply: unknown = JSON.parse(text);
      const complete = isObject(reply) && (reply.error || (Array.isArray(reply.choices) && reply.choices.length > 0));
      this.#error = complete ? this.#chunk(reply) : MALFORMED;
    } catch {
      this.#error = MALFORMED;
    }
  }

  /** Returns the answer, or the error in its place. */
  result(): GenerationParts {
    if (this.#error !== null) return failed(this.#error);
    if (this.#finish === null && !this.#done) return failed(MALFORMED);
    if (this.#finish !== null && ABORTED.has(this.#finish)) return failed("verifier_unavailable");
    if (this.#finish === FILTERED) return failed("content_filtered");
    return {
      answer: this.#text,
      thinking: this.#reasoned ? (this.#hasAnswer ? "closed" : "unclosed") : "none",
      finish_reason: this.#finish,
      error: null,
      prompt_tokens: this.#prompt_tokens,
      completion_tokens: this.#completion_tokens,
      model: this.#model,
    };
  }

  /** @returns the error that ends the generation, or null */
  #chunk(chunk: unknown): ItemErrorCode | null {
    if (!isObject(chunk)) return MALFORMED;
    if (chunk.error) {
      const code = refusalCode(chunk.error);
      this.#engineFailed = OWN_FAULTS.has(code);
      return code;
    }
    if (typeof chunk.model === "string" && chunk.model !== "" && chunk.model.length <= MODEL_CHARS_MAX) {
      this.#model ??= chunk.model;
    }
    if (isObject(chunk.usage)) {
      this.#prompt_tokens = tokens(chunk.usage.prompt_tokens);
      this.#completion_tokens = tokens(chunk.usage.completion_tokens);
    }
    if (!Array.isArray(chunk.choices)) return chunk.choices == null ? null : MALFORMED;
    const choice: unknown = chunk.choices[0];
    if (choice === undefined) return null;
    if (!isObject(choice)) return MALFORMED;
    if (typeof choice.finish_reason === "string") this.#finish = choice.finish_reason;
    // A raw completion has `text` next to the finish reason.
    const part = choice.delta ?? choice.message ?? (typeof choice.text === "string" ? { content: choice.text } : null);
    if (part == null) return null;
    if (!isObject(part)) return MALFORMED;
    this.#observe(part, choice.logprobs);
    return this.#part(part);
  }

  #observe(part: StreamChunk, logprobs: unknown): void {
    const { content } = part;
    const reasoning = part.reasoning || part.reasoning_content;
    if (!reasoning && !content) return;
    this.#pieces++;
    const observer = this.#observer;
    if (observer === null) return;
    if (typeof reasoning === "string") observer.text(reasoning);
    if (typeof content === "string") observer.text(content);
    const list = tokensIn(logprobs);
    if (list !== null) observer.logprobs?.(list, Boolean(content));
  }

  #part(part: StreamChunk): ItemErrorCode | null {
    const { content } = part;
    if (part.reasoning || part.reasoning_content) this.#reasoned = true;
    if (content == null || content === "") return null;
    if (typeof content !== "string") return MALFORMED;
    return this.#say(content);
  }

  /** Appends a piece of the answer. @returns MALFORMED if the answer becomes too long */
  #say(content: string): ItemErrorCode | null {
    if (this.#reasoned) this.#hasAnswer = true;
    this.#text += content;
    if (this.#text.length <= this.#compactAt) return null;
    this.#text = withoutThoughts(this.#text);
    // Searches again only after the rest has doubled, so that the total time stays linear.
    this.#compactAt = Math.min(LIMITS.answer_chars_max, Math.max(COMPACT_CHARS, this.#text.length * 2));
    return this.#text.length > LIMITS.answer_chars_max ? MALFORMED : null;
  }
}
