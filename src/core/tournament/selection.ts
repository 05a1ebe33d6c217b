// Selects the best candidate of a group. Guarantees that the selected candidate lost neither to an unbeaten
// candidate nor to one with at least its value (except in a cycle of equals), and that a rollout's position
// in the group never decides.
import type { Selection } from "../asking/comparison.ts";
import { type Classes, type ContentKey, compareKeys } from "../candidate/classes.ts";
import { hashText } from "../math/random.ts";
import type { Decision, PairResult } from "./decision.ts";

/** Inputs for the selection; lists have one entry per rollout unless stated otherwise. */
export interface Standing {
  classOf: Classes["classOf"];
  /** Pairwise results between classes. */
  decision: Pick<Decision, "pairs">;
  /** The schedule's places if it assigns any, else the rewards; null for a rollout that was not judged. */
  values: readonly (number | null)[] | null;
  /** Wins, scaled to the number of all opponents; tie-breaker for equal values. */
  points: readonly (number | null)[];
  /**
   * Which unbeaten candidates rank above a candidate that lost: those that beat it, and after finals also
   * those that it never met.
   */
  unbeaten: "that_beat_it" | "or_unmet";
  /** One content key per class. */
  keys: readonly ContentKey[];
  seed: number;
}

/**
 * Selects the rollout with the highest value. Ties go to the candidate that lost to none of the tied ones,
 * then by wins among them, then by points, then by a seeded hash of the content; among identical candidates,
 * the first is selected. If the winner lost a pair, an unbeaten candidate that beat it is selected instead,
 * and after finals also an unbeaten candidate that it never met. No rollout is selected if `values` contains
 * no number.
 */
export function select(criteria: Standing): Selection {
  const { classOf, values, decision } = criteria;
  const known = classOf.flatMap((classIndex, r) => (classIndex === null || values?.[r] == null ? [] : [r]));
  const against = (r: number, s: number) => decision.pairs[classOf[r] as number]?.[classOf[s] as number];
  const lostNone = (r: number) => {
    const results = classOf.flatMap((classIndex, s) => (classIndex === null ? [] : against(r, s)));
    return results.includes("win") && !results.includes("loss");
  };
  const unbeaten = known.filter(lostNone);
  const first = selectAmong(known, criteria);
  const before = betterThan(first.selected, unbeaten, against, criteria);
  const selection = before.length === 0 ? first : selectAmong(before, criteria);
  const { selected } = selection;
  if (selected === null) return selection;
  const rivals = unbeaten.includes(selected) ? unbeaten : [...unbeaten, ...selection.tied];
  return rivals.some((r) => against(r, selected) === "unasked") ? { ...selection, unsettled: true } : selection;
}

/** Unbeaten candidates that rank above the selected one. */
function betterThan(
  selected: number | null,
  unbeaten: readonly number[],
  against: (r: number, s: number) => PairResult | undefined,
  criteria: Standing,
): readonly number[] {
  if (selected === null || unbeaten.includes(selected)) return [];
  const comesBefore = (result: PairResult | undefined) =>
    result === "win" || (result === "unasked" && criteria.unbeaten === "or_unmet");
  return unbeaten.filter((r) => comesBefore(against(r, selected)));
}

function selectAmong(rollouts: readonly number[], criteria: Standing): Selection {
  const { classOf, values, points, decision, keys, seed } = criteria;
  if (rollouts.length === 0) return { selected: null, tied: [] };
  const heightOf = (r: number) => values?.[r] as number;
  const highest = Math.max(...rollouts.map(heightOf));
  // Tolerance, since sums of the same shares in a different order differ by rounding.
  const tied = rollouts.filter((r) => heightOf(r) > highest - EQUAL);
  const classes = [...new Map(tied.map((r) => [classOf[r] as number, r])).keys()];
  const count = (i: number, result: PairResult) => classes.filter((j) => decision.pairs[i]?.[j] === result).length;
  const pointsOf = (i: number) => Math.max(...tied.map((r) => (classOf[r] === i ? (points[r] ?? 0) : 0)));
  const [winner] = classes
    .map((i) => ({ i, key: hashText("select", seed, ...(keys[i] as ContentKey)) }))
    .sort(
      (a, b) =>
        Number(count(a.i, "loss") > 0) - Number(count(b.i, "loss") > 0) ||
        count(b.i, "win") - count(a.i, "win") ||
        pointsOf(b.i) - pointsOf(a.i) ||
        compareKeys(a.key, b.key),
    );
  return { selected: tied.find((r) => classOf[r] === winner?.i) ?? null, tied };
}

const EQUAL = 1e-9;
