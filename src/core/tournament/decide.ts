// Owns what decided pairs come to for rollouts: win counts, ranks and the selected candidate. Knows
// no verifier and no text.
import type { Selection, Tally } from "../asking/comparison.ts";
import type { ContentKey } from "../candidate/classes.ts";
import { type Classes, compareKeys } from "../candidate/classes.ts";
import { hashText } from "../math/random.ts";
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
 * The gap of each rollout, null where it has a base reward. A malformed rollout has none: it is not
 * judged. `unjudged`: no pair at all, or all pairs that needed the verifier are undecided (forfeits
 * and ties with duplicates alone are no judgement). `partial`: less than
 * `minDecided` of its pairs with rivals are decided; `excused` pairs, undecided through the rival's
 * doing, are not among them.
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
    // The margin is for shares such as 0.7 of 10, which are no exact doubles.
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

/** Competition ranks by wins, 1 = most; equal wins share a rank; null where `wins` is null. */
export function ranks(wins: readonly (number | null)[]): (number | null)[] {
  return wins.map((win) => (win === null ? null : 1 + wins.filter((other) => other !== null && other > win).length));
}

/**
 * The rollout with the most wins. Ties are broken by wins among the tied, then by a seeded hash of
 * the content, never by position; among identical candidates the first stands for all. None is
 * selected where `wins` holds no number.
 */
export function select(
  wins: readonly (number | null)[],
  { classOf }: Classes,
  decision: Decision,
  keys: readonly ContentKey[],
  seed: number,
): Selection {
  const known = wins.flatMap((count, r) => (count === null || classOf[r] === null ? [] : [r]));
  if (known.length === 0) return { selected: null, tied: [] };
  const most = Math.max(...known.map((r) => wins[r] as number));
  const tied = known.filter((r) => wins[r] === most);

  const tiedClasses = [...new Set(tied.map((r) => classOf[r] as number))];
  const headToHead = tiedClasses.map(
    (i) => tiedClasses.filter((j) => (decision.pairs[i] as PairResult[])[j] === "win").length,
  );
  const best = Math.max(...headToHead);
  const [winner] = tiedClasses
    .filter((_, k) => headToHead[k] === best)
    .map((i) => ({ i, key: hashText("select", seed, ...(keys[i] as ContentKey)) }))
    .sort((a, b) => compareKeys(a.key, b.key));
  const selected = tied.find((r) => classOf[r] === winner?.i);
  return { selected: selected ?? null, tied };
}
