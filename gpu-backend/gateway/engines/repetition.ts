// Noticing that a stream of text has fallen into a loop. Must not know where the text comes from or what
// follows.

/** Characters between two looks. */
const LOOK_EVERY_CHARS = 2_048;
/** Characters looked back; four turns of the longest loop that is found. */
const WINDOW_CHARS = 16_384;
/** A tail is a loop when it is this long, .. */
export const TAIL_CHARS_MIN = 4_096;
/** .. and made of at least this many turns of one period. */
export const TURNS_MIN = 4;
/** The longest period that is found. */
export const PERIOD_CHARS_MAX = WINDOW_CHARS / TURNS_MIN;

/**
 * Finds a model that has degenerated into repeating itself: the text so far ends in at least
 * `TAIL_CHARS_MIN` characters that are at least `TURNS_MIN` exact turns of one period of up to
 * `PERIOD_CHARS_MAX` characters. Lists, tables and similar lines of code differ from line to line
 * in some number or name, so their tails have no such period; a text must say the very same thing
 * for four thousand characters, about a thousand tokens. It is found at most `LOOK_EVERY_CHARS`
 * later.
 *
 * Every 2,048 characters one failure function over the last 16,384 is computed, backwards from the
 * end: 8 steps a character, whatever the text. Memory is bounded by the window.
 */
export class RepetitionDetector {
  #window = "";
  #fresh = "";
  #looping = false;

  /** Whether a loop was found. Stays true. */
  get looping(): boolean {
    return this.#looping;
  }

  /** Takes the next piece of text. @returns `looping` */
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

/** Shared by all detectors: a look is one synchronous pass. */
const borders = new Int32Array(WINDOW_CHARS + 1);
const units = new Uint16Array(WINDOW_CHARS);

/** Whether some tail of the text is a loop. Linear time (Knuth, Morris and Pratt 1977). */
export function endsInLoop(window: string): boolean {
  const text = window.length > WINDOW_CHARS ? window.slice(-WINDOW_CHARS) : window;
  const { length } = text;
  // Reversed, so that tails become heads: the head of length n has the smallest period n -
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
