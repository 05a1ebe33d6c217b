// Decides whether a replica is asked for answers as streams or whole. Must not know HTTP.

/**
 * Tokens an event, from which on a stream costs little. At one token an event, as engines stream by
 * default, reading an answer of 2,200 tokens costs the gateway thirty times what it costs whole.
 */
const TOKENS_AN_EVENT = 64;
/** Events that also a short answer of a coarse stream has: its first token and its end. */
const EVENTS_LEAST = 2;
/** Answers in a row whose events were small, after which answers are asked for whole. */
const FINE_ANSWERS = 8;
/** The same after a whole answer broke off: a proxy on the way may close what is silent for long. */
const FINE_ANSWERS_AFTER_BREAK = 1_000;

/**
 * A stream of large events is kept: by it loops and silences are seen early. One of small events costs
 * more than it tells.
 */
export class AnswerForm {
  #missing = FINE_ANSWERS;

  /** Whether the next answer is asked for whole. */
  get whole(): boolean {
    return this.#missing <= 0;
  }

  /** Call it when a streamed answer has ended. @param events those that brought text */
  streamed(tokens: number, events: number): void {
    if (events > EVENTS_LEAST + tokens / TOKENS_AN_EVENT) this.#missing--;
    else this.#missing = Math.max(FINE_ANSWERS, this.#missing);
  }

  /** A whole answer broke off, or was refused for not being streamed. */
  broke(): void {
    this.#missing = FINE_ANSWERS_AFTER_BREAK;
  }

  /** The engine may have been started with other flags. */
  restarted(): void {
    this.#missing = FINE_ANSWERS;
  }
}
