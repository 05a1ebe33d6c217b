// The kind `text_similarity`: how similar a rollout's final message and the group's reference are, from 0 to
// 1, by characters (SWE-RL, arXiv 2502.18449) or by words (R1-Searcher, arXiv 2503.05592). If there are
// several references, the most similar one counts.
import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce, type RolloutValue } from "../asking/plan.ts";
import { factOf, inSteps, type Signal } from "../asking/signal.ts";
import { valued } from "../asking/signal-value.ts";
import { theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { UnreadableSchema, unread } from "./unreadable.ts";

/**
 * For a reference, returns a function that counts the characters or words that a message shares with the
 * reference.
 */
type SharedWith = (reference: readonly string[]) => (text: readonly string[]) => number;

/**
 * Length of the longest common subsequence, computed bit-parallel over the reference: Hyyrö 2004,
 * "Bit-parallel LCS-length computation revisited".
 */
const subsequenceWith: SharedWith = (reference) => {
  const places = new Map<string, bigint>();
  for (const [i, unit] of reference.entries()) places.set(unit, (places.get(unit) ?? 0n) | (1n << BigInt(i)));
  const all = (1n << BigInt(reference.length)) - 1n;
  return (text) => {
    let row = all;
    for (const unit of text) {
      const met = row & (places.get(unit) ?? 0n);
      if (met !== 0n) row = ((row + met) | (row - met)) & all;
    }
    return reference.length - row.toString(2).replaceAll("0", "").length;
  };
};

/** Size of the multiset intersection of the words in the message and the reference. */
const wordsWith: SharedWith = (reference) => (text) => {
  const counts = Map.groupBy(reference, (word) => word);
  return text.filter((word) => counts.get(word)?.pop() !== undefined).length;
};

const charactersOf = (text: string): string[] => [...text];
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** fuzzy_match: `rapidfuzz.fuzz.ratio` / 100. rouge_1: the F1 of rouge-score without a stemmer (Lin 2004). */
const METRICS = {
  fuzzy_match: { units: charactersOf, sharedWith: subsequenceWith, text_max: LIMITS.reference_chars },
  rouge_1: { units: wordsOf, sharedWith: wordsWith, text_max: LIMITS.rollout_text_bytes },
};

const SCHEMA = z.strictObject({
  evaluation_metric: z
    .enum(["fuzzy_match", "rouge_1"])
    .meta(said("fuzzy_match compares characters; rouge_1 compares words")),
  unreadable: UnreadableSchema,
});

const referencesOf = (group: object) => [factOf<string | string[]>(group, "reference") ?? []].flat();

export const textSimilarity: Signal<z.output<typeof SCHEMA>> = {
  ...{ kind: "text_similarity", schema: SCHEMA, relative: false, verified: true },
  facts: () => ["group.reference"],
  range: () => [0, 1],
  groupFault(_, group) {
    const chars = referencesOf(group).join("").length;
    if (chars <= LIMITS.reference_chars) return null;
    return { path: "reference", message: `has ${chars} characters in total; ${theLimit("reference_chars")}` };
  },
  ...inSteps(function* ({ group }, settings: z.output<typeof SCHEMA>) {
    const { units, sharedWith, text_max } = METRICS[settings.evaluation_metric];
    const references = referencesOf(group).map(units);
    const comparers = references.map((reference) => {
      const shared = sharedWith(reference);
      return (textUnits: readonly string[]) =>
        (2 * shared(textUnits)) / Math.max(1, textUnits.length + reference.length);
    });
    const steps = references.reduce((sum, { length }) => sum + 4 + length / 64, 0);
    const rows: RolloutValue[] = [];
    for (const { text } of group.rollouts) {
      const textUnits = text.length > text_max ? null : units(text);
      const value = valued(Math.max(0, ...comparers.map((compare) => compare(textUnits ?? []))));
      rows.push(textUnits === null ? unread(settings, "too_long") : { value, detail: null });
      yield Math.ceil(text.length + (textUnits?.length ?? 0) * steps);
    }
    return answeredAtOnce(
      () => rows.map(({ value }) => value),
      () => rows.map(({ detail }) => detail),
    );
  }),
};
