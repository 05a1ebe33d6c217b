// Detects that a stream of text has fallen into a loop.

/** Characters between two checks. */
const LOOK_EVERY_CHARS = 2_048;
/** Characters examined per check: four periods of the longest detectable loop. */
const WINDOW_CHARS = 16_384;
/** Minimum length of a tail that counts as a loop. */
export const TAIL_CHARS_MIN = 4_096;
/** Minimum repetitions of the period in the tail. */
export const TURNS_MIN = 4;
/** Longest detectable period. */
export const PERIOD_CHARS_MAX = WINDOW_CHARS / TURNS_MIN;

/**
 * Detects degenerate repetition: the text so far ends in at least `TAIL_CHARS_MIN` characters that are at
 * least `TURNS_MIN` exact repetitions of a period of up to `PERIOD_CHARS_MAX` characters. Lists, tables and
 * similar lines of code differ in some number or name, so their tails have no such period. A loop of four
 * thousand characters, about a thousand tokens, is detected at most `LOOK_EVERY_CHARS` later.
 *
 * Every 2,048 characters, a KMP failure function is computed over the last 16,384, backwards from the end: 8
 * steps per character for any text. Memory is bounded by the window.
 */
export class RepetitionDetector {
  #window = "";
  #fresh = "";
  #looping = false;

  /** Whether a loop was detected. Never resets. */
  get looping(): boolean {
    return this.#looping;
  }

  /** Adds the next piece of text. @returns `looping` */
  push(piece: string): boolean {
    this.#fresh += piece;
    if (this.#fresh.length < LOOK_EVERY_CHARS || this.#looping) return this.#looping;
    const window = (this.#window + this.#fresh).slice(-WINDOW_CHARS);
    this.#fresh = "";
    this.#looping = endsInLoop(window);
    this.#window = this.#looping ? "" : window;
    return this.#looping;
  }
}

/** Buffers shared by all detectors, because a check is synchronous. */
const borders = new Int32Array(WINDOW_CHARS + 1);
const units = new Uint16Array(WINDOW_CHARS);

/** Whether a tail of the text is a loop. Linear time (Knuth, Morris and Pratt 1977). */
export function endsInLoop(window: string): boolean {
  const text = window.length > WINDOW_CHARS ? window.slice(-WINDOW_CHARS) : window;
  const { length } = text;
  // The text is reversed, so that tails become prefixes. The prefix of length n has the smallest period n -
  // borders[n].
  for (let i = 0; i < length; i++) units[i] = text.charCodeAt(length - 1 - i);
  borders[0] = -1;
  for (let n = 0, border = -1; n < length; ) {
    while (border >= 0 && units[border] !== units[n]) border = borders[border] as number;
    border++;
    n++;
    borders[n] = border;
    if (n >= TAIL_CHARS_MIN && (n - border) * TURNS_MIN <= n) return true;
  }
  return false;
}
