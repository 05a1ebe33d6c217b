// Base rewards for the score that a spec names, and the mean outcomes that scores use. The scores are listed
// in score-table.ts.

import * as z from "zod";
import type { Classes } from "../candidate/classes.ts";
import { sumOf } from "../math/stats.ts";
import type { Gap } from "./decide.ts";
import type { Decision } from "./decision.ts";
import type { Score, Scoreboard } from "./score.ts";
import { SCORES } from "./score-table.ts";

export const ScoreSchema = z.enum(Object.keys(SCORES) as [string, ...string[]]).default("win_rate");

/** The range of a score's values in groups of at most n rollouts. */
export const scoreRange = (score: string, n: number): readonly [number, number] => (SCORES[score] as Score).range(n);

/**
 * Base rewards (design, "Reward"): the score's values; malformed rollouts get the lower bound of the score's
 * range. A rollout with a gap gets null.
 */
export function baseRewards(
  score: string,
  scoreboard: Scoreboard,
  classOf: Classes["classOf"],
  gaps: readonly (Gap | null)[],
): (number | null)[] {
  const { range, valuesOf } = SCORES[score] as Score;
  const values = valuesOf(scoreboard);
  const [lowest] = range(classOf.length);
  return values.map((value, r) => (gaps[r] !== null ? null : scoreboard.judged[r] ? value : lowest));
}

/**
 * Mean outcome of each rollout, in [0, 1], over the opponents with which it has a decided pair. Duplicates
 * tie (1/2), as do two malformed rollouts; a malformed rollout earns 0 against a well-formed one.
 */
export function earnedOf({ classOf }: Pick<Classes, "classOf">, { shares }: Decision): number[] {
  return classOf.map((classIndex, r) => {
    const known = classOf.flatMap((other, s) => {
      if (s === r) return [];
      if (classIndex === null || other === null)
        return [(1 + Number(classIndex !== null) - Number(other !== null)) / 2];
      return shares[classIndex]?.[other] ?? [];
    });
    return known.length === 0 ? 0 : sumOf(known) / known.length;
  });
}
