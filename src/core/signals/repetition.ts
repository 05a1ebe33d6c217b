// Owns the kind `repetition`: a penalty for saying the same n words again and again.
import * as z from "zod";
import { bound } from "../faults/limit-advice.ts";
import { PYTHON_SPACE_CLASS } from "../math/python-text.ts";
import { answeredAtOnce, type Signal } from "./signal.ts";
import { valued } from "./signal-value.ts";

const SCHEMA = z.strictObject({
  ngram: z
    .int()
    .min(1)
    .max(...bound("repetition_ngram_max"))
    .default(3),
  penalty: z
    .number()
    .gt(0)
    .max(...bound("format_penalty_max"))
    .default(1),
});
export type RepetitionSettings = z.output<typeof SCHEMA>;

const SPACES = new RegExp(`[${PYTHON_SPACE_CLASS}]+`);

/** Lower-cased words between white space, as Python's `text.lower().split()`. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(SPACES)
    .filter((word) => word !== "");

/**
 * (1 - distinct / all) of the n-grams, in [0, 1); 0 where there are fewer items than n. TRL counts
 * tokens, open-r1 and ms-swift words (both MIT or Apache; formula of Yeo et al., arXiv 2502.03373).
 */
export function repeatedShare(items: readonly (string | number)[], n: number): number {
  const total = items.length - n + 1;
  if (total < 1) return 0;
  const seen = new Set<string>();
  // Words hold no white space, so this separator is in none.
  for (let at = 0; at < total; at++) seen.add(items.slice(at, at + n).join(" "));
  return 1 - seen.size / total;
}

export const repetition: Signal<RepetitionSettings> = {
  kind: "repetition",
  schema: SCHEMA,
  relative: false,
  facts: () => [],
  range: ({ penalty }) => [0 - penalty, 0],
  open: ({ group }, { ngram, penalty }) =>
    answeredAtOnce(() => group.rollouts.map(({ text }) => valued(0 - repeatedShare(wordsOf(text), ngram) * penalty))),
};
