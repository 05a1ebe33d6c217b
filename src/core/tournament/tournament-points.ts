// Tournament values other than win counts: strengths, points scaled to all opponents, and mean scores from
// verdicts.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import type { Classes } from "../candidate/classes.ts";
import { SCORE_RANGE } from "../judges/verdict.ts";
import type { Fit } from "../math/bradley-terry.ts";
import { sumOf } from "../math/stats.ts";
import { type Decision, outcomesIn } from "./decision.ts";
import { strengthsOf } from "./schedules/schedule.ts";
import type { Scoreboard } from "./score.ts";
import { SCORES } from "./score-table.ts";

/** Strengths of the judged classes; the other classes are treated as having no games. */
export function strengthsOfJudged(decision: Decision, graded: boolean, judged: ReadonlySet<number | null>): Fit {
  const n = decision.pairs.length;
  const all = Array.from({ length: n }, (_, i) => i).filter((i) => judged.has(i));
  const pairs = all.flatMap((i) => all.filter((j) => j > i).map((j) => [i, j]));
  return strengthsOf(n, pairs, outcomesIn(decision), graded);
}

/**
 * Points on the scale of wins against all `rivals`, whatever the number of pairs asked. If the schedule
 * assigns places, the points are derived from the places, since mean outcomes are over unequal opponents.
 * Null for a rollout without a base reward.
 */
export function pointsOf(
  score: string,
  scoreboard: Scoreboard,
  base: readonly (number | null)[],
  rivals: number,
): (number | null)[] {
  const { places, earned } = scoreboard;
  const ofScore = () => SCORES[score]?.points?.(scoreboard) ?? earned.map((mean) => mean * rivals);
  const unrounded = places === null ? ofScore() : placed(places);
  // Floats summed in a different order differ beyond the twelfth digit; rounding keeps ties stable.
  return unrounded.map((points, r) => (base[r] === null ? null : Number(points.toFixed(9))));
}

/** Per entry: number of lower places; ties count half. */
const placed = (places: readonly number[]): number[] =>
  places.map((place) => places.reduce((sum, other) => sum + (1 + Math.sign(place - other)) / 2, -0.5));

/**
 * Mean of the scores that verdicts gave each rollout, scaled to [0, 1] by the judge's scale; null for a
 * rollout without any score.
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
