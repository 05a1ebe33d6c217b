// Assembling one answer out of an OpenAI-style reply: stream events or one document. Must not know HTTP,
// slots or retries.
import type { ItemErrorCode } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { questionFault } from "../faults/question-fault.ts";
import type { SoftLabels } from "../judges/soft-reader.ts";
import { withoutThoughts } from "../text/thinking.ts";
import { tokensIn } from "./answer-tokens.ts";
import { isRetriedStatus, passingFaultOf } from "./chat-retry.ts";

/** The result of one request: the parts of a Generation (ports.ts) that the backend decides. */
export interface GenerationParts {
  /** The answer text (reasoning fields apart), or null when the generation failed. */
  answer: string | null;
  thinking: "none" | "closed" | "unclosed";
  finish_reason: string | null;
  error: ItemErrorCode | null;
  prompt_tokens: number;
  completion_tokens: number;
  /** The model's name as the reply gives it; null when it does not, or without an answer. */
  model: string | null;
  /** Why the backend refused the question, fit for people (engine-reason.ts); where it said so. */
  reason?: string | null;
  /** Wait that a refusing backend asked for, ms; absent where it named none. */
  retry_after_ms?: number | null;
  /** For an answer that is read softly (soft-answer.ts). */
  soft?: SoftLabels | null;
}

/** Looks on while an answer comes in. */
export interface AnswerObserver {
  /**
   * A piece of generated text, thoughts included, in order. A piece of reasoning may come as JSON
   * escapes it.
   */
  text(piece: string): void;
  /**
   * The token list that came with a piece (`choices[0].logprobs.content`), as received.
   * @param answering false when the piece is reasoning alone
   */
  logprobs?(tokens: readonly unknown[], answering: boolean): void;
}

/**
 * Finish reasons by which engines say that they gave up on a generation: what text there is, is no
 * answer.
 */
const ABORTED = new Set(["abort", "error"]);

/**
 * Finish reason by which a server says that its own filter cut the answer: the question was
 * refused, not judged.
 */
const FILTERED = "content_filter";

const MALFORMED: ItemErrorCode = "verifier_bad_reply";

/** Failures of the engine rather than of what it was asked. */
const OWN_FAULTS: ReadonlySet<ItemErrorCode> = new Set([MALFORMED, "verifier_unavailable", "verifier_overloaded"]);

const BACKSLASH = 92;

/** Text beyond this is searched for think tags, to forget what no parser reads. */
const COMPACT_CHARS = 65_536;

type StreamChunk = Record<string, unknown>;

const isObject = (value: unknown): value is StreamChunk =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A count as engines give it; one that no engine can mean would only break the sums and the log's
 * columns.
 */
const tokens = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= LIMITS.usage_tokens_max
    ? (value as number)
    : 0;

const NO_COST = { prompt_tokens: 0, completion_tokens: 0, model: null } as const;

/** A longer name is not a model's. */
const MODEL_CHARS_MAX = 256;

/** A Generation's part for a reply that brought no answer. */
export function failed(error: ItemErrorCode): GenerationParts {
  return { answer: null, thinking: "none", finish_reason: null, error, ...NO_COST };
}

/**
 * True for the bulk of a thinking model's stream: an event that carries a piece of reasoning and
 * nothing else, in the compact JSON that engines write. Quotes inside JSON strings are escaped, so
 * these keys cannot stem from model text.
 */
function isOnlyReasoning(data: string): boolean {
  if (!data.includes('"finish_reason":null')) return false;
  const key = data.indexOf('"reasoning');
  if (key === -1 || data.startsWith('":null', key + 10) || data.startsWith('_content":null', key + 10)) return false;
  if (data.startsWith('":""', key + 10) || data.startsWith('_content":""', key + 10)) return false;
  // That of the delta, and the list of its log probabilities.
  for (let at = data.indexOf('"content":'); at !== -1; at = data.indexOf('"content":', at + 10)) {
    if (data[at + 10] !== "[" && !data.startsWith("null", at + 10)) return false;
  }
  return !data.includes('"error"');
}

/** The count that an event of that kind carries beside the piece, where its engine sends one. */
function countIn(data: string): number {
  const usage = data.lastIndexOf('"usage":{');
  const key = usage === -1 ? -1 : data.indexOf('"completion_tokens":', usage);
  return key === -1 ? 0 : tokens(Number.parseInt(data.slice(key + 20, key + 36), 10));
}

/** Where the reasoning inside an event that `isOnlyReasoning` stands between its quotes. */
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
 * An event that brought a piece of text and nothing else, but for that piece: a stream's other events
 * are written the same, so that they need no parsing.
 */
class PieceFrame {
  readonly answering: boolean;
  readonly #before: string;
  readonly #after: string;

  /** @param answering whether the piece is answer, and not reasoning */
  constructor(data: string, [from, to]: readonly [number, number], answering: boolean) {
    this.#before = data.slice(0, from);
    this.#after = data.slice(to);
    this.answering = answering;
  }

  /** Where the piece of an event stands that is written the same; null where it is not, or must be parsed. */
  pieceIn(data: string): [from: number, to: number] | null {
    const from = this.#before.length;
    const to = data.length - this.#after.length;
    if (to <= from || data.indexOf('"', from) !== to) return null;
    if (this.answering ? isEscaped(data, from, to) : data.charCodeAt(to - 1) === BACKSLASH) return null;
    // In V8 faster than startsWith and endsWith, whose string would be a slice.
    return data.slice(0, from) === this.#before && data.slice(to) === this.#after ? [from, to] : null;
  }
}

/** The frame of an event that brought a piece of answer; null where that alone may not differ in the next. */
function answerFrame(data: string, piece: string): PieceFrame | null {
  const key = data.indexOf('"content":"');
  const from = key + 11;
  const to = data.indexOf('"', from);
  if (key === -1 || data.slice(from, to) !== piece || data.indexOf('"content"', to) !== -1) return null;
  // The rest of the frame repeats what is known; an observer needs these each time.
  return /"(?:reasoning|logprobs":\{)/.test(data) ? null : new PieceFrame(data, [from, to], true);
}

/**
 * An error inside a reply whose status was 200: what its code would mean as a status. One that says
 * nothing of the sort makes the reply unreadable.
 */
function refusalCode(error: unknown): ItemErrorCode {
  const status = Number((isObject(error) ? error.code : null) ?? Number.NaN);
  if (isRetriedStatus(status)) return passingFaultOf(status);
  if (status >= 500) return "verifier_unavailable";
  const code = questionFault(status >= 400 ? status : 400, JSON.stringify({ error }));
  return code === "verifier_rejected" && !(status >= 400) ? MALFORMED : code;
}

/** Gathers one choice. Feed it events or one document, then ask for the `result`. */
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
   * Events so far that brought text: engines send one a token, or pack several into one, never one
   * token in two.
   */
  get pieces(): number {
    return this.#pieces;
  }

  /** Tokens generated so far: what the engine said, or the pieces where it has not. */
  get tokens(): number {
    return Math.max(this.#completion_tokens, this.#pieces);
  }

  /**
   * Whether the engine itself gave up: it said so, or the reply ended without the answer's end. To
   * be asked at the end.
   */
  get engineFailed(): boolean {
    const broken = this.#error === null && this.#finish === null && !this.#done;
    return broken || this.#engineFailed || (this.#finish !== null && ABORTED.has(this.#finish));
  }

  /** Ends the answer here, by the reader's decision: further events are not fed. */
  cut(reason: string): void {
    this.#finish = reason;
    this.#completion_tokens = this.tokens;
  }

  /** Takes one event's data. Returns false when nothing that follows can matter. */
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
      // Servers that put one line break between events instead of two.
      if (data.includes("\n")) return data.split("\n").every((line) => line === "" || this.event(line));
      this.#error = MALFORMED;
    }
    return this.#error === null;
  }

  /** Takes the piece of an event that brings nothing else. */
  #framed(data: string, [from, to]: readonly [number, number]): boolean {
    const answering = this.#frame?.answering === true;
    this.#pieces++;
    if (this.#observer !== null) this.#observer.text(data.slice(from, to));
    if (answering) this.#error = this.#say(data.slice(from, to));
    return this.#error === null;
  }

  /** Takes the whole reply of a server that does not stream. */
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

  /** The answer, or the reason why there is none. */
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

  /** @returns the fault that ends the generation, if any */
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
    // The last: a raw completion has its text beside the reason.
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

  /** A piece of the answer. @returns MALFORMED where it grows too long */
  #say(content: string): ItemErrorCode | null {
    if (this.#reasoned) this.#hasAnswer = true;
    this.#text += content;
    if (this.#text.length <= this.#compactAt) return null;
    this.#text = withoutThoughts(this.#text);
    // Searching again only once the rest has doubled keeps the whole linear.
    this.#compactAt = Math.min(LIMITS.answer_chars_max, Math.max(COMPACT_CHARS, this.#text.length * 2));
    return this.#text.length > LIMITS.answer_chars_max ? MALFORMED : null;
  }
}
