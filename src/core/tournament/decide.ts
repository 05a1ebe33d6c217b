// Win counts, gaps and ranks of rollouts, from decided pairs.
import type { Tally } from "../asking/comparison.ts";
import type { Classes } from "../candidate/classes.ts";
import type { Decision, PairResult } from "./decision.ts";

/**
 * Counts each rollout against every other of its group: duplicates tie, a malformed one loses to
 * well-formed ones and ties with malformed ones.
 */
export function tally({ classOf }: Classes, decision: Decision): Tally[] {
  return classOf.map((classIndex, r) => {
    const counts: Tally = { wins: 0, losses: 0, ties: 0, undecided: 0, unasked: 0, forfeits: 0 };
    classOf.forEach((other, s) => {
      if (s === r) return;
      if (classIndex === null || other === null) {
        if (classIndex === other) counts.ties++;
        else if (classIndex === null) {
          counts.losses++;
          counts.forfeits++;
        } else counts.wins++;
        return;
      }
      const result = (decision.pairs[classIndex] as PairResult[])[other] as PairResult;
      if (result === "win") counts.wins++;
      else if (result === "loss") counts.losses++;
      else if (result === "tie") counts.ties++;
      else if (result === "unasked") counts.unasked++;
      else counts.undecided++;
    });
    return counts;
  });
}

/**
 * Why a rollout has no base reward: nothing was decided for it, or less than min_decided of what
 * was asked.
 */
export type Gap = "unjudged" | "partial";

/**
 * The gap of each rollout, null where it has a base reward. A malformed rollout has none: it is not judged.
 * `unjudged`: no pair at all, or all pairs that needed the verifier are undecided (forfeits and ties with
 * duplicates alone are not a judgement). `partial`: less than `minDecided` of its pairs with rivals are
 * decided; `excused` pairs, undecided because of the rival, are not among them.
 */
export function gapsIn(
  classOf: Classes["classOf"],
  tallies: readonly Tally[],
  minDecided = 1,
  excused: readonly number[] = [],
): (Gap | null)[] {
  return tallies.map(({ wins, losses, ties, undecided, unasked }, r) => {
    if (wins + losses + ties === 0) return "unjudged";
    const among = rivals(classOf, r);
    const asked = among - unasked;
    if (undecided === asked && among > 0) return "unjudged";
    if (undecided === 0) return null;
    // The margin is for shares such as 0.7 of 10, which are not exact doubles.
    return asked - undecided + 1e-9 < minDecided * (asked - (excused[r] ?? 0)) ? "partial" : null;
  });
}

/**
 * Opponents that a rollout can only be compared with by the verifier: well-formed ones of other
 * classes.
 */
function rivals(classOf: Classes["classOf"], r: number): number {
  const classIndex = classOf[r];
  return classIndex === null ? 0 : classOf.filter((other) => other !== null && other !== classIndex).length;
}

/** Competition ranks by wins or points, 1 = most; equals share a rank; null where `wins` is null. */
export function ranks(wins: readonly (number | null)[]): (number | null)[] {
  return wins.map((win) => (win === null ? null : 1 + wins.filter((other) => other !== null && other > win).length));
}
