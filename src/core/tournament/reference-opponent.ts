// Owns the group's own reference as an opponent in its tournament, that is shown and not rewarded.

import { factOf, type ShownTexts } from "../asking/signal.ts";
import { normaliseCandidate } from "../candidate/extract.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { hashText } from "../math/random.ts";

interface Opponent {
  /** The group with the reference among what is shown; its rollouts are its own. */
  group: PreparedGroup;
  /** The reference's class: one of its own, or that of the candidates that equal it. */
  reference: number;
  shows: ShownTexts;
}

/** The first of several references. A cost is told for a group that has none. */
export function withReference(prepared: PreparedGroup): Opponent {
  const { group, question, classes } = prepared;
  const [given = ""] = [factOf<string | string[]>(group, "reference") ?? []].flat();
  const text = normaliseCandidate(given);
  const known = prepared.texts.indexOf(text);
  const texts = known < 0 ? [...prepared.texts, text] : prepared.texts;
  const keys = known < 0 ? [...prepared.keys, hashText(question, text)] : prepared.keys;
  // Past the last rollout: in the log, the group's size stands for its reference.
  const of = texts.map((_, classIndex) => classes.members[classIndex]?.[0] ?? group.rollouts.length);
  return {
    group: { ...prepared, texts, keys },
    reference: known < 0 ? texts.length - 1 : known,
    shows: { texts, keys, of },
  };
}
