// Decides whether a replica streams its answers or returns them as one document. Independent of HTTP.

/**
 * Tokens per event above which streaming costs little. At one token per event, the default of engines,
 * reading an answer of 2,200 tokens costs the gateway thirty times as much as reading one document.
 */
const TOKENS_AN_EVENT = 64;
/** Events that even a short answer has in a coarse stream: its first token and its end. */
const EVENTS_LEAST = 2;
/** Consecutive fine-grained answers after which answers are requested as one document. */
const FINE_ANSWERS = 8;
/**
 * Replaces FINE_ANSWERS after a document broke off, because a proxy on the path may close connections that
 * are silent for long.
 */
const FINE_ANSWERS_AFTER_BREAK = 1_000;

/**
 * Chooses between streams and documents. Streams with large events are kept because they show loops and
 * stalls early; streams with small events cost more than they are worth.
 */
export class AnswerForm {
  #missing = FINE_ANSWERS;

  /** Whether to request the next answer as one document. */
  get whole(): boolean {
    return this.#missing <= 0;
  }

  /** Records the end of a streamed answer. @param events number of events with text */
  streamed(tokens: number, events: number): void {
    if (events > EVENTS_LEAST + tokens / TOKENS_AN_EVENT) this.#missing--;
    else this.#missing = Math.max(FINE_ANSWERS, this.#missing);
  }

  /** Records that a document broke off, or that the engine rejected a request for not streaming. */
  broke(): void {
    this.#missing = FINE_ANSWERS_AFTER_BREAK;
  }

  /** Resets the state: a restarted engine may have other flags. */
  restarted(): void {
    this.#missing = FINE_ANSWERS;
  }
}
