// The group's reference as an opponent in its tournament: it is shown but not rewarded, and every candidate
// meets only the reference.

import type { Tally } from "../asking/comparison.ts";
import type { ShownTexts } from "../asking/plan.ts";
import { factOf } from "../asking/signal.ts";
import type { Classes } from "../candidate/classes.ts";
import { normaliseCandidate } from "../candidate/extract.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { hashText } from "../math/random.ts";
import type { Gap } from "./decide.ts";
import type { Decision, PairResult } from "./decision.ts";

interface Opponent {
  /** The group with the reference added to the candidates shown; its rollouts are unchanged. */
  group: PreparedGroup;
  /** Class index of the reference; candidates equal to the reference share its class. */
  reference: number;
  shows: ShownTexts;
}

/**
 * Adds the group's reference, or the first one if there are several. Without a reference, an empty string is
 * used, so that costs can be estimated.
 */
export function withReference(prepared: PreparedGroup): Opponent {
  const { group, question, classes } = prepared;
  const [given = ""] = [factOf<string | string[]>(group, "reference") ?? []].flat();
  const text = normaliseCandidate(given);
  const known = prepared.texts.indexOf(text);
  const texts = known < 0 ? [...prepared.texts, text] : prepared.texts;
  const keys = known < 0 ? [...prepared.keys, hashText(question, text)] : prepared.keys;
  // The log identifies the reference by the index after the last rollout, which equals the group's size.
  const rolloutIndices = texts.map((_, classIndex) => classes.members[classIndex]?.[0] ?? group.rollouts.length);
  return {
    group: { ...prepared, texts, keys },
    reference: known < 0 ? texts.length - 1 : known,
    shows: { texts, keys, rolloutIndices },
  };
}

/**
 * Results of each rollout's only comparison. Pairs with other rollouts are unasked, even between duplicates.
 */
interface AgainstReference {
  tallies: Tally[];
  /** The rollout's share of its comparison with the reference, in [0, 1]; 0 if undecided. */
  earned: number[];
  gaps: (Gap | null)[];
}

/**
 * Counts each rollout against the reference. A malformed rollout loses; a rollout whose candidate equals the
 * reference ties.
 * @param reference the reference's class; null if the verifier refused the reference, so that every
 *   comparison is undecided
 */
export function againstReference(
  { classOf }: Pick<Classes, "classOf">,
  { pairs, shares }: Decision,
  reference: number | null,
): AgainstReference {
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
      // The schedule asks this pair for every rollout, so a pair is unasked only if the budget did not cover
      // it.
      undecided: Number(result === "undecided"),
      unasked: classOf.length - 1 + Number(result === "unasked"),
      forfeits: Number(classOf[r] === null),
    })),
    earned: met.map(({ share }) => share),
    gaps: met.map(({ result }) => (result === "undecided" || result === "unasked" ? "unjudged" : null)),
  };
}
