// The group's own reference as an opponent in its tournament, which is shown and not rewarded: everyone meets
// it, and no other.

import type { Tally } from "../asking/comparison.ts";
import { factOf, type ShownTexts } from "../asking/signal.ts";
import type { Classes } from "../candidate/classes.ts";
import { normaliseCandidate } from "../candidate/extract.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { hashText } from "../math/random.ts";
import type { Gap } from "./decide.ts";
import type { Decision, PairResult } from "./decision.ts";

interface Opponent {
  /** The group with the reference among what is shown; its rollouts are its own. */
  group: PreparedGroup;
  /** The reference's class: a separate one, or that of the candidates that equal it. */
  reference: number;
  shows: ShownTexts;
}

/** The first of several references. A cost may be estimated for a group that has none. */
export function withReference(prepared: PreparedGroup): Opponent {
  const { group, question, classes } = prepared;
  const [given = ""] = [factOf<string | string[]>(group, "reference") ?? []].flat();
  const text = normaliseCandidate(given);
  const known = prepared.texts.indexOf(text);
  const texts = known < 0 ? [...prepared.texts, text] : prepared.texts;
  const keys = known < 0 ? [...prepared.keys, hashText(question, text)] : prepared.keys;
  // Past the last rollout: in the log, the group's size stands for its reference.
  const rolloutIndices = texts.map((_, classIndex) => classes.members[classIndex]?.[0] ?? group.rollouts.length);
  return {
    group: { ...prepared, texts, keys },
    reference: known < 0 ? texts.length - 1 : known,
    shows: { texts, keys, rolloutIndices },
  };
}

/** The result of each rollout's one comparison; its neighbours are unasked, duplicates too. */
interface AgainstReference {
  tallies: Tally[];
  /** Its share of that comparison, in [0, 1]; 0 where it is undecided. */
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
      unasked: classOf.length - 1 + Number(result === "unasked"),
      forfeits: Number(classOf[r] === null),
    })),
    earned: met.map(({ share }) => share),
    gaps: met.map(({ result }) => (result === "undecided" || result === "unasked" ? "unjudged" : null)),
  };
}
