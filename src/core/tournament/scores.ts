// Owns base rewards by the score that a spec names, and what they rest on. The scores:
// score-table.ts.
import * as z from "zod";
import type { Classes } from "../candidate/classes.ts";
import type { Decision, Gap } from "./decide.ts";
import type { Score, Standing } from "./score.ts";
import { SCORES } from "./score-table.ts";

export const ScoreSchema = z.enum(Object.keys(SCORES) as [string, ...string[]]).default("win_rate");

/** Where every value of a score lies, in groups of at most n. */
export const scoreRange = (score: string, n: number): readonly [number, number] => (SCORES[score] as Score).range(n);

/**
 * Base rewards (api.md, "Reward"): the score's values; a malformed rollout has the least of its
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
    let sum = 0;
    let count = 0;
    classOf.forEach((other, s) => {
      if (s === r) return;
      const share =
        own === null || other === null
          ? (1 + Number(own !== null) - Number(other !== null)) / 2
          : ((shares[own] as (number | null)[])[other] as number | null);
      if (share === null) return;
      sum += share;
      count++;
    });
    return count === 0 ? 0 : sum / count;
  });
}
