// The schedule `blocks`: short lists of candidates that together contain every pair.

import * as z from "zod";
import { said } from "#said";
import { wholeFrom } from "../../faults/bounded.ts";
import { LIMITS } from "../../faults/limits.ts";
import type { Match, Schedule } from "./schedule.ts";

const SETTINGS = z.strictObject({
  size: wholeFrom(2, "decision_candidates_max")
    .default(LIMITS.list_candidates_max)
    .meta(said("candidates per list; more than 5 needs the preset decide-best")),
  cover: wholeFrom(1, "samples_max").default(1).meta(said("minimum number of lists that show each pair")),
  rounds: wholeFrom(1, "rollouts_per_group_max")
    .optional()
    .meta(said("maximum number of rounds, each with about n / size lists; default: enough to cover all pairs")),
});

/**
 * All lists in one wave. If n and size allow, a balanced incomplete block design: a projective plane for n =
 * size^2 - size + 1 (perfect difference sets), an affine plane for n = size^2 (finite fields). Otherwise a
 * greedy design that, round by round, combines candidates that have shared the fewest lists.
 */
export const blocks: Schedule<z.output<typeof SETTINGS>> = {
  mode: "listwise",
  settings: SETTINGS,
  complete: false,
  *waves({ order, settings: { size, cover, rounds } }) {
    const n = order.length;
    if (n < 2) return undefined;
    const c = Math.min(size, n);
    const design = rounds === undefined ? balanced(n, c) : null;
    const lists = design === null ? evenly(n, c, cover, rounds) : Array.from({ length: cover }, () => design).flat();
    yield lists.map((list) => list.map((place) => order[place] as number));
    return undefined;
  },
};

/** Perfect difference sets modulo size^2 - size + 1: every nonzero difference occurs once. */
const DIFFERENCES: Readonly<Record<number, readonly number[]>> = {
  3: [0, 1, 3],
  4: [0, 1, 3, 9],
  5: [0, 1, 4, 14, 16],
};

/**
 * Lists of c candidates that contain every pair of 0..n-1 exactly once; null if this file knows no such
 * design.
 */
function balanced(n: number, c: number): Match[] | null {
  if (n === c) return [range(n)];
  const differences = DIFFERENCES[c];
  if (differences === undefined) return null;
  if (n === c * c - c + 1) return range(n).map((shift) => differences.map((d) => (d + shift) % n));
  if (n !== c * c) return null;
  const lines = range(c).flatMap((slope) =>
    range(c).map((start) => range(c).map((x) => x * c + plus(c, times(c, slope, x), start))),
  );
  return [...lines, ...range(c).map((x) => range(c).map((y) => x * c + y))];
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
/**
 * Addition in the field of c elements, c = 3, 4 or 5. For c = 4, the elements 2 and 3 are the roots of x^2 +
 * x + 1.
 */
const plus = (c: number, a: number, b: number) => (c === 4 ? a ^ b : (a + b) % c);
const times = (c: number, a: number, b: number) =>
  c !== 4 ? (a * b) % c : a === 0 || b === 0 ? 0 : ((a + b - 2) % 3) + 1;

/**
 * Greedy design: in each round, a list starts with the candidate that lacks the most pairs and adds the
 * candidates that it has met least often.
 */
function evenly(n: number, c: number, cover: number, rounds = Number.POSITIVE_INFINITY): Match[] {
  const together = range(n).map(() => new Array<number>(n).fill(0));
  const met = (i: number, j: number) => (together[i] as number[])[j] as number;
  const lacks = (i: number) => range(n).filter((j) => j !== i && met(i, j) < cover).length;
  const lists: Match[] = [];
  for (let round = 0; round < rounds && range(n).some((i) => lacks(i) > 0); round++) {
    const need = range(n).map(lacks);
    let open = range(n).sort((a, b) => (need[b] as number) - (need[a] as number));
    while (open.length > 1) {
      // Avoids a final list with a single candidate by making the second-to-last list one shorter.
      const maxSize = open.length === c + 1 && c > 2 ? c - 1 : c;
      const list = [open[0] as number];
      while (list.length < maxSize && list.length < open.length) {
        const cost = (i: number) => list.reduce((sum, j) => sum + met(i, j), 0);
        const free = open.filter((i) => !list.includes(i));
        list.push(free.reduce((a, b) => (cost(b) < cost(a) ? b : a)));
      }
      open = open.filter((i) => !list.includes(i));
      if (!list.some((i) => list.some((j) => i !== j && met(i, j) < cover))) continue;
      for (const i of list) for (const j of list) if (i !== j) (together[i] as number[])[j] = met(i, j) + 1;
      lists.push(list);
    }
  }
  return lists;
}
