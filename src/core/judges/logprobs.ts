// Computes signals from token log probabilities, in natural logarithms (formulas h). Must not depend on the
// backend that returned them.
import { exp } from "../math/elementary.ts";

interface SoftVerdict {
  /** Probability of each option, in the order of the letters. The probabilities sum to 1. */
  distribution: number[];
  /** Index of the most probable option, and of the first one on a tie. */
  argmax: number;
  /** Total probability that the backend reported for the options, before renormalising. */
  massSeen: number;
}

/**
 * How far an unseen option is set below the least probable seen option, in nats (calibration.py in the
 * Aletheia release).
 */
const UNSEEN_OPTION_NATS = 20;

/**
 * Turns the log probabilities at the token directly after `\boxed{` into a distribution over the first
 * `options` letters. Each letter gets the more probable of its tokens "A" and " A"; an unseen letter is set
 * 20 nats below the least probable seen letter, and a softmax over the letters follows.
 * @param logprobs natural log probability of each token that was reported at this position
 * @param options number of options, 2 to 26
 * @returns null if no option's letter was reported
 * @throws RangeError if `options` is out of range, or if a letter's value is NaN or above 0
 */
export function softVerdict(logprobs: ReadonlyMap<string, number>, options: number): SoftVerdict | null {
  if (!Number.isInteger(options) || options < 2 || options > 26)
    throw new RangeError("options must be an integer in 2..26");
  const letters = Array.from({ length: options }, (_, i) => String.fromCharCode(65 + i));
  const seen = letters.map((letter) =>
    Math.max(logprobs.get(letter) ?? -Infinity, logprobs.get(` ${letter}`) ?? -Infinity),
  );
  if (seen.some((l) => !(l <= 0))) throw new RangeError("a log probability must not be above 0");
  const distribution = softmaxOver(seen);
  const massOf = (text: string) => exp(logprobs.get(text) ?? Number.NEGATIVE_INFINITY);
  if (distribution === null) return null;
  return {
    distribution,
    argmax: seen.indexOf(Math.max(...seen)),
    massSeen: letters.reduce((sum, letter) => sum + massOf(letter) + massOf(` ${letter}`), 0),
  };
}

/**
 * Softmax over natural log probabilities; the result sums to 1. An unseen option (-Infinity) counts as 20
 * nats below the least probable seen option. Returns null if no option was seen.
 */
export function softmaxOver(seen: readonly number[]): number[] | null {
  const present = seen.filter(Number.isFinite);
  if (present.length === 0) return null;
  const floor = Math.min(...present) - UNSEEN_OPTION_NATS;
  const filled = seen.map((l) => (Number.isFinite(l) ? l : floor));
  const top = Math.max(...filled);
  const weights = filled.map((l) => exp(l - top));
  const total = weights.reduce((sum, w) => sum + w, 0);
  return weights.map((w) => w / total);
}
