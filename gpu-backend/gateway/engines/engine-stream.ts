// One generation on one engine, as an HTTP exchange. The reply is read as one document or as a stream, which
// is cut if it runs too long. Independent of replicas, retries and load.
import type { ClientRequest, IncomingMessage } from "node:http";
import { engineReason, misconfigured } from "../../../src/core/faults/engine-reason.ts";
import type { ItemErrorCode } from "../../../src/core/faults/errors.ts";
import { isPassing, type PassingFault, questionFault, REASON_CHARS } from "../../../src/core/faults/question-fault.ts";
import type { Anchor } from "../../../src/core/judges/parsers/parser.ts";
import { SoftReader } from "../../../src/core/judges/soft-reader.ts";
import {
  AnswerBuilder,
  type AnswerObserver,
  failed,
  type GenerationParts,
} from "../../../src/core/wire/chat-answer.ts";
import { isRetriedStatus, passingFaultOf, retryAfterMs } from "../../../src/core/wire/chat-retry.ts";
import { EventSplitter, LineTooLong, Remainder } from "../../../src/core/wire/chat-stream.ts";
import { softened } from "../../../src/core/wire/soft-answer.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import type { EngineAddress } from "./engine-address.ts";
import { RepetitionDetector } from "./repetition.ts";

/**
 * Node's error codes for a connection that was not established. For a host with several addresses, Node
 * reports the first.
 */
const UNREACHED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
/** Error bodies up to this size are read, so that the connection can be reused. */
const DRAINED_BYTES = 65_536;

/**
 * Health of the engine as shown by an exchange. `final`: no conclusion (an answer, a rejected question, the
 * caller's abort). `overloaded`: rejected for now. `stale`: the keep-alive connection had been closed.
 * `unreached`: no connection. `died`: a 5xx, or a connection or reply that broke off, possibly because of the
 * question.
 */
export type Verdict = "final" | "overloaded" | "stale" | "unreached" | "died";

/** The result of one exchange. */
export interface Exchange {
  verdict: Verdict;
  generation: GenerationParts;
  /** From the Retry-After header, in ms. */
  retry_after_ms: number | null;
  /** Clock value when the first text arrived; null if none arrived. */
  first_token_at: number | null;
  /** Whether the gateway aborted the exchange, so the engine may still be generating. */
  hung_up: boolean;
  /** Tokens generated, whatever the outcome. */
  tokens: number;
  /** Number of events with text. */
  events: number;
  /** The engine's message if it rejected the question, as received; otherwise null. */
  said: string | null;
  /** The reason of the rejection in human-readable form. */
  reason: string | null;
}

/** A question and the limits under which its answer is read. */
export interface Question {
  /** The request's body, in pieces. */
  body: readonly Uint8Array[];
  /** Whether the question is raw text to complete instead of a chat. */
  completion: boolean;
  max_tokens: number;
  anchor: Anchor | null;
  /** Whether the answer is one document, which shows no progress before its end. */
  whole: boolean;
  signal: AbortSignal;
  timers: Timers;
}

/**
 * Consecutive health checks without progress that are tolerated, after the first token (`begun`) and before
 * (`waiting`).
 */
export interface Patience {
  begun: number;
  waiting: number;
}

/** The error code for an abort reason: `deadline` for a deadline or timeout, otherwise `cancelled`. */
export const abortCode = (reason: unknown): ItemErrorCode => {
  const word = reason instanceof Error ? [reason.name, reason.message] : [reason];
  return word.includes("deadline") || word.includes("TimeoutError") ? "deadline" : "cancelled";
};

/** An exchange in progress. `done` never rejects. */
export class EngineStream implements AnswerObserver {
  readonly done: Promise<Exchange>;
  readonly #question: Question;
  readonly #request: ClientRequest;
  readonly #answer = new AnswerBuilder(this);
  readonly #repetition = new RepetitionDetector();
  readonly #soft: SoftReader | null;
  #settle!: (exchange: Exchange) => void;
  #settled = false;
  #response: IncomingMessage | null = null;
  #firstTokenAt: number | null = null;
  #said: string | null = null;
  #reason: string | null = null;
  #quietLooks = 0;
  readonly #onAbort = () => this.#hangUp("final", failed(abortCode(this.#question.signal.reason)));

  constructor(engine: EngineAddress, question: Question) {
    this.#question = question;
    this.#soft = question.anchor && new SoftReader(question.anchor);
    this.done = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#request = engine.post(question.completion ? engine.textCompletions : engine.completions, question.body);
    this.#request.on("response", (response) => this.#onResponse(response));
    this.#request.on("error", ({ code }: NodeJS.ErrnoException) => this.#onBroken(code));
    if (question.signal.aborted) this.#onAbort();
    else question.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /**
   * Aborts an exchange that made no progress for too many consecutive health checks; more are tolerated
   * before the first token. For an answer read as one document, only failed health checks count.
   * @param lives whether the engine passed its latest health check
   */
  look({ begun, waiting }: Patience, lives: boolean): void {
    const { whole } = this.#question;
    if (whole && lives) this.#quietLooks = 0;
    else if (++this.#quietLooks > (whole || this.#firstTokenAt !== null ? begun : waiting))
      this.#hangUp("died", failed("verifier_unavailable"));
  }

  text(piece: string): void {
    if (this.#question.whole) return;
    this.#firstTokenAt ??= this.#question.timers.now();
    this.#repetition.push(piece);
  }

  logprobs(tokens: readonly unknown[], answering: boolean): void {
    this.#soft?.logprobs(tokens, answering);
  }

  #onResponse(response: IncomingMessage): void {
    this.#response = response;
    const status = response.statusCode ?? 0;
    response.on("error", () => this.#onBroken());
    if (status >= 400 && status < 500 && !isRetriedStatus(status)) this.#onQuestionRefused(response, status);
    else if (status < 200 || status > 299) this.#onRefusal(response, status);
    else if (response.headers["content-type"]?.includes("json")) this.#readDocument(response);
    else this.#readEvents(response);
  }

  #onRefusal(response: IncomingMessage, status: number): void {
    const length = Number(response.headers["content-length"] ?? Number.NaN);
    if (length <= DRAINED_BYTES) response.resume();
    else this.#request.destroy();
    if (isRetriedStatus(status)) this.#finishRefused(response, status, passingFaultOf(status));
    // Redirects are not followed: they could lead to a host that the deployment did not configure.
    else if (status < 500) this.#finish("final", failed("verifier_bad_reply"));
    else this.#finish("died", failed("verifier_unavailable"));
  }

  /**
   * Handles a temporary rejection by the engine or a proxy. A broken upstream (5xx) counts as a dead engine.
   */
  #finishRefused({ headers }: IncomingMessage, status: number, code: PassingFault): void {
    const verdict = code === "verifier_overloaded" || status < 500 ? "overloaded" : "died";
    const exact = headers["retry-after-ms"];
    const at = new Date(this.#question.timers.now());
    const asked = retryAfterMs(headers["retry-after"] ?? null, at, typeof exact === "string" ? exact : null);
    this.#finish(verdict, failed(code), asked);
  }

  /** Reads the reason of a rejection, even if the body breaks off. */
  #onQuestionRefused(response: IncomingMessage, status: number): void {
    let said = "";
    let bytes = 0;
    const end = () => {
      this.#said = said;
      const sent = Buffer.concat(this.#question.body).toString();
      const code = questionFault(status, said, sent);
      if (code === "verifier_misconfigured") this.#reason = misconfigured(status, "ENGINE_API_KEY");
      else if (code === "verifier_rejected") this.#reason = engineReason(said, sent);
      if (status === 424) this.#finish("died", failed(code));
      else if (isPassing(code)) this.#finishRefused(response, status, code);
      else this.#finish("final", failed(code));
    };
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      bytes += text.length;
      if (said.length < REASON_CHARS) said += text;
      if (bytes <= DRAINED_BYTES) return;
      end();
      this.#request.destroy();
    });
    response.on("end", end);
    for (const source of [this.#request, response]) source.removeAllListeners("error").on("error", end);
  }

  #readEvents(response: IncomingMessage): void {
    const events = new EventSplitter((data) => this.#answer.event(data) && !this.#cut());
    response.on("data", (bytes: Uint8Array) => {
      this.#quietLooks = 0;
      this.#guard(() => {
        if (!events.push(bytes)) this.#hangUp(...this.#outcome());
      });
    });
    response.on("end", () =>
      this.#guard(() => {
        events.end();
        this.#finish(...this.#outcome());
      }),
    );
  }

  #readDocument(response: IncomingMessage): void {
    const document = new Remainder();
    response.on("data", (bytes: Uint8Array) => this.#guard(() => document.keep(bytes)));
    response.on("end", () =>
      this.#guard(() => {
        this.#answer.document(document.take());
        this.#cut();
        this.#finish(...this.#outcome());
      }),
    );
  }

  #guard(read: () => void): void {
    if (this.#settled) return;
    try {
      read();
    } catch (fault) {
      if (!(fault instanceof LineTooLong)) throw fault;
      this.#hangUp("final", failed("verifier_bad_reply"));
    }
  }

  /**
   * Cuts a generation that repeats itself, or exceeds its token limit on an engine that ignores the limit.
   */
  #cut(): boolean {
    const over = this.#answer.tokens > this.#question.max_tokens;
    if (!over && !this.#repetition.looping) return false;
    this.#answer.cut(over ? "length" : "repetition");
    return true;
  }

  #outcome(): [Verdict, GenerationParts] {
    const answered = softened(this.#answer.result(), this.#soft);
    const failed = answered.error === "verifier_overloaded" ? "overloaded" : "died";
    return [this.#answer.engineFailed ? failed : "final", answered];
  }

  /** @param code Node's error code */
  #onBroken(code?: string): void {
    const stale = this.#response === null && this.#request.reusedSocket;
    const verdict = code !== undefined && UNREACHED.has(code) ? "unreached" : "died";
    this.#finish(stale ? "stale" : verdict, failed("verifier_unavailable"));
  }

  #hangUp(verdict: Verdict, answered: GenerationParts): void {
    this.#finish(verdict, answered, null, true);
    this.#request.destroy();
  }

  #finish(verdict: Verdict, answered: GenerationParts, retry_after_ms: number | null = null, hung_up = false): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#question.signal.removeEventListener("abort", this.#onAbort);
    const { tokens, pieces: events } = this.#answer;
    const said = { first_token_at: this.#firstTokenAt, said: this.#said, reason: this.#reason };
    this.#settle({ verdict, generation: answered, retry_after_ms, hung_up, tokens, events, ...said });
  }
}
