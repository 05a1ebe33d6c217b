// Owns measures of how alike two texts are, 0 to 1: BLEU, GLEU, ROUGE, and the ratio of edits.
import { commonSubsequence } from "./common-subsequence.ts";

type Counts = ReadonlyMap<string, number>;

/** n-grams of words; a word holds no blank, so that a blank may stand between them. */
function countedGrams(words: readonly string[], n: number): Counts {
  const counts = new Map<string, number>();
  for (let at = 0; at + n <= words.length; at++) {
    const gram = words.slice(at, at + n).join(" ");
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

const COUNTED = new WeakMap<readonly string[], Map<number, Counts>>();

/** n-grams of words that are compared with many others, once. */
function nGrams(words: readonly string[], n: number): Counts {
  const known = COUNTED.get(words) ?? new Map<number, Counts>();
  COUNTED.set(words, known);
  const counts = known.get(n) ?? countedGrams(words, n);
  known.set(n, counts);
  return counts;
}

/** How many n-grams so many words have. */
const total = (words: readonly string[], n: number): number => Math.max(0, words.length - n + 1);

/** n-grams that both have, each as often as the one that has it less often. */
function shared(a: Counts, b: Counts): number {
  const [fewer, more] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [gram, count] of fewer) sum += Math.min(count, more.get(gram) ?? 0);
  return sum;
}

/** Longest n-grams of BLEU and GLEU. */
const LONGEST = 4;
const SIZES = Array.from({ length: LONGEST }, (_, i) => i + 1);

/**
 * Sentence BLEU (Papineni et al. 2002): the geometric mean of the clipped precisions of 1- to
 * 4-grams, times exp(1 - r/c) for a text of c words shorter than the reference's r. Not smoothed:
 * 0 where an order has no match.
 */
export function bleu(words: readonly string[], reference: readonly string[]): number {
  const logs = SIZES.map((n) => {
    const all = total(words, n);
    return all === 0 ? Number.NEGATIVE_INFINITY : Math.log(shared(nGrams(words, n), nGrams(reference, n)) / all);
  });
  const mean = logs.reduce((sum, log) => sum + log, 0) / LONGEST;
  const brevity = words.length >= reference.length ? 0 : 1 - reference.length / words.length;
  return Number.isFinite(mean) ? Math.exp(brevity + mean) : 0;
}

/**
 * Sentence GLEU (Wu et al. 2016, section 4): matching 1- to 4-grams over those of the text or of
 * the reference, whichever has more; 0 where neither has any.
 */
export function gleu(words: readonly string[], reference: readonly string[]): number {
  let [both, given, wanted] = [0, 0, 0];
  for (const n of SIZES) {
    both += shared(nGrams(words, n), nGrams(reference, n));
    given += total(words, n);
    wanted += total(reference, n);
  }
  const most = Math.max(given, wanted);
  return most === 0 ? 0 : both / most;
}

const harmonic = (precision: number, recall: number) =>
  precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);

const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

/** ROUGE-N (Lin 2004): the F1 of matching n-grams. */
export function rougeN(words: readonly string[], reference: readonly string[], n: number): number {
  const both = shared(nGrams(words, n), nGrams(reference, n));
  return harmonic(share(both, total(words, n)), share(both, total(reference, n)));
}

/** ROUGE-L (Lin 2004): the F1 of the longest common subsequence of words. */
export function rougeL(words: readonly string[], reference: readonly string[]): number {
  const both = commonSubsequence(reference, words);
  return harmonic(share(both, words.length), share(both, reference.length));
}

/**
 * 1 less the insertions and deletions that lead from one text to the other over their characters,
 * as `rapidfuzz.fuzz.ratio` / 100; 1 of two empty texts.
 */
export function editRatio(a: readonly string[], b: readonly string[]): number {
  const characters = a.length + b.length;
  return characters === 0 ? 1 : (2 * commonSubsequence(b, a)) / characters;
}
