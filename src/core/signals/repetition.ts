// The kind `repetition`: a penalty for saying the same n words again and again.
import * as z from "zod";
import { answeredAtOnce, inSteps, type Signal } from "../asking/signal.ts";
import { type Valued, valued } from "../asking/signal-value.ts";
import { ownWordsOf } from "../candidate/prepare.ts";
import { wholeFrom } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { PYTHON_SPACE_CLASS } from "../text/python-text.ts";

const SCHEMA = z.strictObject({
  ngram: wholeFrom(1, "repetition_ngram_max").default(3),
  penalty: z
    .number()
    .gt(0)
    .max(...bound("format_penalty_max"))
    .default(1),
});
type RepetitionSettings = z.output<typeof SCHEMA>;

const SPACES = new RegExp(`[${PYTHON_SPACE_CLASS}]+`);

/** Lower-cased words between white space, as Python's `text.lower().split()`. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(SPACES)
    .filter((word) => word !== "");

/** Signs of scripts that set no blanks between words. */
const SCRIPTS = "Han Hiragana Katakana Bopomofo Thai Lao Khmer Myanmar Tibetan Javanese Balinese Yi".split(" ");
const UNSPACED = SCRIPTS.map((script) => `\\p{scx=${script}}`).join("");
const ANY_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
/** Such a sign; a name or a number; any other sign. */
const PIECES = new RegExp(`[${UNSPACED}]|[[\\p{L}\\p{M}\\p{N}_]--[${UNSPACED}]]+|.`, "gsv");
/** A longer word is none, as minified code; a longer name is looked at letter by letter. */
const WORD_CHARS_MAX = 64;
const NAME_CHARS_MAX = 32;
/** With at most this many words no default n-gram can occur twice. */
const FEW_WORDS = 2;
/** Steps of cutting a text into items and counting n-grams, for each char. */
const STEPS_CHAR = 5;
/** A letter said again and again. */
const RUN = /(\D)\1{3}/u;

const piecesOf = (word: string): string[] =>
  (word.match(PIECES) ?? []).flatMap((piece) =>
    piece.length > NAME_CHARS_MAX || RUN.test(piece) ? [...piece] : piece,
  );

/**
 * The items of n-grams: words, or, where most of a text is not words (it has no blanks, or a script without
 * them), its signs and names.
 */
export function itemsOf(text: string): string[] {
  const words = wordsOf(text);
  const isWord = (word: string) =>
    words.length > FEW_WORDS && word.length <= WORD_CHARS_MAX && !ANY_UNSPACED.test(word);
  const chars = (some: readonly string[]) => some.reduce((sum, word) => sum + word.length, 0);
  const others = words.filter((word) => !isWord(word));
  if (chars(others) * 2 <= chars(words)) return words;
  return words.flatMap((word) => (isWord(word) ? word : piecesOf(word)));
}

/**
 * (1 - distinct / all) of the n-grams, none of which crosses a part's end, in [0, 1); 0 where there
 * are fewer items than n. TRL counts
 * tokens, open-r1 and ms-swift words (both MIT or Apache; formula of Yeo et al., arXiv 2502.03373).
 */
export function repeatedShare(parts: readonly (readonly (string | number)[])[], n: number): number {
  const seen = new Set<string>();
  let all = 0;
  for (const part of parts) {
    const total = Math.max(0, part.length - n + 1);
    // Words hold no white space, so this separator is in none.
    for (let at = 0; at < total; at++) seen.add(part.slice(at, at + n).join(" "));
    all += total;
  }
  return all === 0 ? 0 : 1 - seen.size / all;
}

export const repetition: Signal<RepetitionSettings> = {
  kind: "repetition",
  schema: SCHEMA,
  relative: false,
  facts: () => [],
  range: ({ penalty }) => [0 - penalty, 0],
  ...inSteps<RepetitionSettings>(function* (prepared, { ngram, penalty }) {
    const values: Valued[] = [];
    for (const words of ownWordsOf(prepared)) {
      values.push(valued(0 - repeatedShare(words.map(itemsOf), ngram) * penalty));
      yield STEPS_CHAR * words.reduce((sum, { length }) => sum + length, 0);
    }
    return answeredAtOnce(() => values);
  }),
};
