// The order in which all pairs of a group are asked: ring after ring, so that wherever a deadline or a reader
// stops, everyone has met as many as everyone else.
import { cos, sin, square } from "../math/elementary.ts";

/**
 * All pairs of n places such that after any number of them no two places differ by more than one in
 * how many they have met: perfect matchings one behind another, of which the first two make a ring.
 * Places of equal sum modulo n - 1 are such a matching, the last place beside those left alone
 * (Kirkman; of an odd number Walecki's rings). Later sums are those by which strengths are known
 * best: each leaves least of the sum of effective resistances, as in `circular`.
 */
export function evenPairs(n: number): readonly (readonly [number, number])[] {
  if (n < 2) return [];
  const places = n - 1;
  return spreadSums(places).flatMap((sum) => {
    const among: [number, number][] = [];
    const alone: [number, number][] = [];
    for (let i = 0; i < places; i++) {
      const j = (sum - i + places) % places;
      if (i < j) among.push([i, j]);
      if (i === j) alone.push([i, places]);
    }
    // Two are left alone only where n is odd: the last place meets them before and after the rest.
    return [...alone.slice(0, 1), ...among, ...alone.slice(1)];
  });
}

/**
 * All sums modulo m, the first two with a ring between them; odd and even ones by turns where m is even, as
 * the odd ones leave no candidate alone.
 */
function spreadSums(m: number): readonly number[] {
  const known = SUMS.get(m) ?? chooseSums(m);
  SUMS.set(m, known);
  return known;
}

/** By the number of places: those of 64 take milliseconds, and groups are of few sizes. */
const SUMS = new Map<number, readonly number[]>();

function chooseSums(m: number): number[] {
  const turn = (k: number) => (2 * Math.PI * k) / m;
  const waves = Array.from({ length: m >> 1 }, () => ({ re: 0, im: 0 }));
  const open = Array.from({ length: m }, (_, s) => s);
  const sums: number[] = [];
  while (open.length > 0) {
    const degree = sums.length + 1;
    const left = (s: number) =>
      waves.reduce((total, { re, im }, k) => {
        const size = Math.sqrt(square(re + cos(turn((k + 1) * s))) + square(im + sin(turn((k + 1) * s))));
        return total + 1 / Math.max(degree - size, FLAT) + 1 / (degree + size);
      }, 0);
    const fits = m % 2 === 1 ? open : open.filter((s) => s % 2 === degree % 2);
    const [first] = fits as [number];
    const next = degree <= 2 ? first : minBy(fits, left);
    sums.push(next);
    open.splice(open.indexOf(next), 1);
    waves.forEach((wave, k) => {
      wave.re += cos(turn((k + 1) * next));
      wave.im += sin(turn((k + 1) * next));
    });
  }
  return sums;
}

/** Below it a resistance is infinite up to rounding. */
const FLAT = 1e-9;

/** The first of those with the least value, up to rounding. */
function minBy(line: readonly number[], worth: (candidate: number) => number): number {
  let [best = 0] = line;
  let value = Number.POSITIVE_INFINITY;
  for (const candidate of line) {
    const candidateWorth = worth(candidate);
    if (candidateWorth < value - 1e-9) [best, value] = [candidate, candidateWorth];
  }
  return best;
}
