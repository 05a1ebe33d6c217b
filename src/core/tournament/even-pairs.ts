// The order in which all pairs of a group are asked: one ring after another, so that wherever a deadline or a
// limit stops it, all candidates have met nearly the same number of opponents.
import { cos, sin, square } from "../math/elementary.ts";

/**
 * All pairs of n positions, ordered such that after any prefix, the numbers of opponents met by any two
 * positions differ by at most one. The order is a sequence of perfect matchings; the first two form a ring. A
 * matching consists of all pairs of positions with equal sum modulo n - 1; the position left over is paired
 * with the last position (Kirkman; Walecki's rings for odd n). Later sums are chosen for the best strength
 * estimates: each minimises the sum of effective resistances, as in `circular`.
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
    // Two positions are left over only if n is odd: one meets the last position before the rest, the other
    // after the rest.
    return [...alone.slice(0, 1), ...among, ...alone.slice(1)];
  });
}

/**
 * All sums modulo m; the first two form a ring. If m is even, odd and even sums alternate, since odd sums
 * leave no position over.
 */
function spreadSums(m: number): readonly number[] {
  const known = SUMS.get(m) ?? chooseSums(m);
  SUMS.set(m, known);
  return known;
}

/**
 * Cached by number of positions: computing 64 positions takes milliseconds, and only few group sizes occur.
 */
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

/** Lower bound for an eigenvalue; below this value, a resistance would be infinite up to rounding. */
const FLAT = 1e-9;

/** The first candidate with the lowest value, up to rounding. */
function minBy(line: readonly number[], worth: (candidate: number) => number): number {
  let [best = 0] = line;
  let value = Number.POSITIVE_INFINITY;
  for (const candidate of line) {
    const candidateWorth = worth(candidate);
    if (candidateWorth < value - 1e-9) [best, value] = [candidate, candidateWorth];
  }
  return best;
}
