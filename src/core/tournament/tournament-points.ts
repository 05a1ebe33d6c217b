// Owns what of a tournament stands beside its win counts: strengths, points on the scale of all
// opponents, and the means of the scores that verdicts gave.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import type { Classes } from "../candidate/classes.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { COVARIATES, type Covariates, earnedBy } from "../contract/covariates.ts";
import { SCORE_RANGE } from "../judges/verdict.ts";
import { sumOf } from "../math/stats.ts";
import { sharesOf, strengthsWithout } from "./covariates.ts";
import type { Decision } from "./decision.ts";
import { outcomesIn } from "./rehearsal.ts";
import { strengthsInOrder, strengthsOf } from "./schedules/schedule.ts";
import { surenessOf } from "./schedules/sureness.ts";
import type { Scoreboard } from "./score.ts";
import { SCORES } from "./score-table.ts";

/**
 * Strengths, and how sure their order is, of the classes that are judged; others have no games. With
 * covariates: strengths without what these earn, and what the group tells of each.
 */
export function fitsOf(
  inOrder: boolean,
  decision: Decision,
  graded: boolean,
  judged: ReadonlySet<number | null>,
  { texts }: Pick<PreparedGroup, "texts">,
  covariates?: Covariates,
) {
  const n = decision.pairs.length;
  const all = Array.from({ length: n }, (_, i) => i).filter((i) => judged.has(i));
  const pairs = all.flatMap((i) => all.filter((j) => j > i).map((j) => [i, j]));
  const outcomes = outcomesIn(decision);
  const sure = () => surenessOf(n, pairs, outcomes);
  if (covariates === undefined) {
    return { sure, strengths: () => (inOrder ? strengthsInOrder : strengthsOf)(n, pairs, outcomes, graded) };
  }
  const earned = earnedBy(covariates);
  const games = { n, pairs, outcomes, graded, playing: all, lengths: texts.map(({ length }) => length) };
  const named = COVARIATES.filter((name) => name in earned);
  return { sure, strengths: () => strengthsWithout(earned, games), shares: () => sharesOf(named, games) };
}

/**
 * On the scale of wins against all `rivals`, whatever the number of pairs asked; null without a
 * base.
 */
export function pointsOf(
  score: string,
  scoreboard: Scoreboard,
  base: readonly (number | null)[],
  rivals: number,
): (number | null)[] {
  const unrounded = SCORES[score]?.points?.(scoreboard) ?? scoreboard.earned.map((mean) => mean * rivals);
  // Sums of floats in another order differ beyond the twelfth digit; a tie must not hang on that.
  return unrounded.map((points, r) => (base[r] === null ? null : Number(points.toFixed(9))));
}

/**
 * Each rollout's mean of the scores that verdicts gave it, as shares of the judge's own scale; null
 * where none gave it any.
 */
export function marksOf(
  asked: readonly AskedQuestion[],
  { classOf }: Classes,
  scale: readonly [number, number] | null,
): (number | null)[] {
  const given = new Map<number, number[]>();
  const [low, high] = scale ?? SCORE_RANGE;
  for (const { question, readings } of asked) {
    for (const { verdict } of readings) {
      const scores = verdict !== null && "scores" in verdict && verdict.kind !== "steps" ? verdict.scores : undefined;
      scores?.forEach((score, place) => {
        const i = question.shown[place] as number;
        given.set(i, [...(given.get(i) ?? []), Math.min(1, Math.max(0, (score - low) / (high - low)))]);
      });
    }
  }
  return classOf.map((classIndex) => {
    const scores = given.get(classIndex ?? -1);
    return scores === undefined ? null : sumOf(scores) / scores.length;
  });
}
