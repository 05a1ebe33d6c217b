// Win counts, gaps (missing base rewards) and ranks of rollouts, from decided pairs.
import type { Tally } from "../asking/comparison.ts";
import type { Classes } from "../candidate/classes.ts";
import type { Decision, PairResult } from "./decision.ts";

/**
 * Counts each rollout's results against every other rollout of its group. Duplicates tie; a malformed rollout
 * loses to well-formed ones and ties with other malformed ones.
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
 * Why a rollout has no base reward: no decided pair (`unjudged`), or fewer decided pairs than min_decided
 * requires (`partial`).
 */
export type Gap = "unjudged" | "partial";

/**
 * The gap of each rollout; null if it has a base reward or is malformed, since malformed rollouts are not
 * judged. `unjudged`: the rollout has no pair at all, or all pairs that needed the verifier are undecided
 * (forfeits and ties with duplicates are not a judgement). `partial`: less than `minDecided` of the pairs
 * with rivals are decided, not counting `excused` pairs, which are undecided because of the other candidate.
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
    // The tolerance is for products such as 0.7 * 10, which are not exact doubles.
    return asked - undecided + 1e-9 < minDecided * (asked - (excused[r] ?? 0)) ? "partial" : null;
  });
}

/**
 * Number of opponents that only the verifier can compare with the rollout: well-formed rollouts with a
 * different candidate.
 */
function rivals(classOf: Classes["classOf"], r: number): number {
  const classIndex = classOf[r];
  return classIndex === null ? 0 : classOf.filter((other) => other !== null && other !== classIndex).length;
}

/** Competition ranks by wins or points, 1 for the most; ties share a rank; null if `wins` is null. */
export function ranks(wins: readonly (number | null)[]): (number | null)[] {
  return wins.map((win) => (win === null ? null : 1 + wins.filter((other) => other !== null && other > win).length));
}
