// Owns what counts where everyone meets the group's own reference, and nobody else.
import type { Tally } from "../asking/comparison.ts";
import type { Classes } from "../candidate/classes.ts";
import type { Gap } from "./decide.ts";
import type { Decision, PairResult } from "./decision.ts";

/** What each rollout's one comparison came to; its neighbours are unasked, duplicates too. */
interface AgainstReference {
  tallies: Tally[];
  /** What it earned of that comparison, in [0, 1]; 0 where nothing was decided. */
  earned: number[];
  gaps: (Gap | null)[];
}

/**
 * A malformed rollout loses to the reference, one whose candidate equals it ties.
 * @param reference its class; null where the verifier refused it, so that nothing is decided
 */
export function againstReference(
  { classOf }: Pick<Classes, "classOf">,
  { pairs, shares }: Decision,
  reference: number | null,
): AgainstReference {
  const others = { unasked: classOf.length - 1 };
  const met = classOf.map((classIndex): { result: PairResult; share: number } => {
    if (classIndex === null) return { result: "loss", share: 0 };
    if (reference === null) return { result: "undecided", share: 0 };
    return { result: pairs[classIndex]?.[reference] ?? "undecided", share: shares[classIndex]?.[reference] ?? 0 };
  });
  return {
    tallies: met.map(({ result }, r) => ({
      wins: Number(result === "win"),
      losses: Number(result === "loss"),
      ties: Number(result === "tie"),
      // The schedule asks it of everyone: what a budget did not pay is the one pair that is
      // unasked.
      undecided: Number(result === "undecided"),
      unasked: others.unasked + Number(result === "unasked"),
      forfeits: Number(classOf[r] === null),
    })),
    earned: met.map(({ share }) => share),
    gaps: met.map(({ result }) => (result === "undecided" || result === "unasked" ? "unjudged" : null)),
  };
}
