// The kind `repetition`: a penalty for repeated word n-grams.
import * as z from "zod";
import { answeredAtOnce } from "../asking/plan.ts";
import { inSteps, type Signal } from "../asking/signal.ts";
import { type Valued, valued } from "../asking/signal-value.ts";
import { ownWordsOf } from "../candidate/prepare.ts";
import { wholeFrom } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { lazily } from "../text/lazily.ts";
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

/** Lower-case words, split on white space like Python's `text.lower().split()`. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(SPACES)
    .filter((word) => word !== "");

/** Scripts written without spaces between words. */
const SCRIPTS = "Han Hiragana Katakana Bopomofo Thai Lao Khmer Myanmar Tibetan Javanese Balinese Yi".split(" ");
const UNSPACED = SCRIPTS.map((script) => `\\p{scx=${script}}`).join("");
const ANY_UNSPACED = lazily(() => new RegExp(`[${UNSPACED}]`, "u"));
/** Matches one character of an unspaced script, a name or number, or any other single character. */
const PIECES = lazily(() => new RegExp(`[${UNSPACED}]|[[\\p{L}\\p{M}\\p{N}_]--[${UNSPACED}]]+|.`, "gsv"));
/** Longer strings, such as minified code, do not count as words; longer names are split into characters. */
const WORD_CHARS_MAX = 64;
const NAME_CHARS_MAX = 32;
/** With so few words, no n-gram of the default size can occur twice. */
const FEW_WORDS = 2;
/** Units of work per character for splitting a rollout and counting n-grams. */
const STEPS_CHAR = 5;
/** A character repeated at least four times. */
const RUN = /(\D)\1{3}/u;

const piecesOf = (word: string): string[] =>
  (word.match(PIECES()) ?? []).flatMap((piece) =>
    piece.length > NAME_CHARS_MAX || RUN.test(piece) ? [...piece] : piece,
  );

/**
 * The units of n-grams: words or, if most of the text does not consist of words (it has no spaces, or its
 * script uses none), names and single characters.
 */
export function itemsOf(text: string): string[] {
  const words = wordsOf(text);
  const isWord = (word: string) =>
    words.length > FEW_WORDS && word.length <= WORD_CHARS_MAX && !ANY_UNSPACED().test(word);
  const chars = (some: readonly string[]) => some.reduce((sum, word) => sum + word.length, 0);
  const others = words.filter((word) => !isWord(word));
  if (chars(others) * 2 <= chars(words)) return words;
  return words.flatMap((word) => (isWord(word) ? word : piecesOf(word)));
}

/**
 * 1 - distinct / all n-grams, in [0, 1). N-grams do not cross the end of a part. The result is 0 if there are
 * fewer items than n. TRL counts tokens; open-r1 and ms-swift count words (both MIT or Apache; formula of Yeo
 * et al., arXiv 2502.03373).
 */
export function repeatedShare(parts: readonly (readonly (string | number)[])[], n: number): number {
  const seen = new Set<string>();
  let all = 0;
  for (const part of parts) {
    const total = Math.max(0, part.length - n + 1);
    // Words contain no white space, so the separator is unambiguous.
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
