// Owns base rewards by the score that a spec names, and what they rest on. The scores:
// score-table.ts.
import * as z from "zod";
import type { Classes } from "../candidate/classes.ts";
import type { Showing } from "../judges/questions.ts";
import { sumOf } from "../math/stats.ts";
import type { Gap, Tally } from "./decide.ts";
import type { Decision } from "./decision.ts";
import type { Score, Standing } from "./score.ts";
import { SCORES } from "./score-table.ts";

export const ScoreSchema = z.enum(Object.keys(SCORES) as [string, ...string[]]).default("win_rate");

/** Where every value of a score lies, in groups of at most n. */
export const scoreRange = (score: string, n: number): readonly [number, number] => (SCORES[score] as Score).range(n);

/**
 * Base rewards (design, "Reward"): the score's values; a malformed rollout has the least of its
 * range. null where there is a gap.
 */
export function baseRewards(
  score: string,
  standing: Standing,
  classOf: Classes["classOf"],
  gaps: readonly (Gap | null)[],
): (number | null)[] {
  const { range, of } = SCORES[score] as Score;
  const values = of(standing);
  const [least] = range(classOf.length);
  return values.map((value, r) => (gaps[r] !== null ? null : standing.judged[r] ? value : least));
}

/**
 * What each rollout earned on average, in [0, 1], of those opponents of which something was
 * decided: duplicates and the malformed among themselves half, a malformed one nothing of others.
 */
export function earnedOf({ classOf }: Pick<Classes, "classOf">, { shares }: Decision): number[] {
  return classOf.map((own, r) => {
    const known = classOf.flatMap((other, s) => {
      if (s === r) return [];
      if (own === null || other === null) return [(1 + Number(own !== null) - Number(other !== null)) / 2];
      return shares[own]?.[other] ?? [];
    });
    return known.length === 0 ? 0 : sumOf(known) / known.length;
  });
}

/**
 * Rollouts that a schedule with a free point left free: well-formed, with rivals, and shown in no
 * question while others were. Who was shown and not read, or not paid, has none.
 */
export function leftFree(
  freePoint: boolean,
  classOf: Classes["classOf"],
  questions: readonly Pick<Showing, "shown">[],
): boolean[] {
  const shown = new Set(freePoint ? questions.flatMap((question) => question.shown) : []);
  return classOf.map((own) => shown.size > 0 && own !== null && !shown.has(own));
}

/** As scores count them: a free point is a win, of which no opponent is told. */
export const withFreePoints = (tallies: readonly Tally[], free: readonly boolean[]): readonly Tally[] =>
  tallies.map((own, r) => (free[r] ? { ...own, wins: own.wins + 1 } : own));
