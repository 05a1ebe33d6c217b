// Defines what a verifier that flips a coin gets, by walking through all of its verdicts. Pure.
import { kendallTauB } from "../../src/core/math/tau-b.ts";

/** Mean tau-b of coin flips over lists of n, with undefined ones left out, as 0, and as -1. */
export interface CoinTau {
  dropped: number;
  zero: number;
  minus_one: number;
  /** Share of tournaments whose win counts are all equal, where tau-b is undefined. */
  undefined: number;
}

/** All 2^(n(n-1)/2) tournaments of n candidates with different pass rates, each as likely. */
export function coinTau(n: number): CoinTau {
  const pairs = Array.from({ length: n }, (_, i) => i).flatMap((i) =>
    Array.from({ length: n - i - 1 }, (_, k) => [i, i + k + 1] as const),
  );
  const rates = Array.from({ length: n }, (_, i) => i / n);
  const count = 2 ** pairs.length;
  let sum = 0;
  let undefinedOnes = 0;
  for (let flips = 0; flips < count; flips++) {
    const wins = Array.from({ length: n }, () => 0);
    for (const [k, [i, j]] of pairs.entries()) {
      const winner = Math.floor(flips / 2 ** k) % 2 === 0 ? i : j;
      wins[winner] = (wins[winner] ?? 0) + 1;
    }
    const { tau } = kendallTauB(wins, rates);
    if (tau === null) undefinedOnes++;
    else sum += tau;
  }
  const defined = count - undefinedOnes;
  return {
    dropped: sum / defined,
    zero: sum / count,
    minus_one: (sum - undefinedOnes) / count,
    undefined: undefinedOnes / count,
  };
}

/** Means of tau-b over an even mix of lists of three to five, the lengths that have one. */
export function coinMix(as: keyof CoinTau): number {
  return [3, 4, 5].reduce((sum, n) => sum + coinTau(n)[as], 0) / 3;
}

/** How often the most frequent of K independent answers is right, ties by lot, of two possible ones. */
export function majority(samples: number, right: number): number {
  let choose = 1;
  let sum = 0;
  for (let k = 0; k <= samples; k++) {
    const weight = 2 * k > samples ? 1 : 2 * k === samples ? 0.5 : 0;
    sum += weight * choose * right ** k * (1 - right) ** (samples - k);
    choose = (choose * (samples - k)) / (k + 1);
  }
  return sum;
}
