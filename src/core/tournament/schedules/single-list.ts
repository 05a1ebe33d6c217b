// Owns the single list: all classes of a group in one list, each sample with its own seeded
// permutation. Knows no verdicts.

import { compareKeys } from "../../candidate/classes.ts";
import { ApiError } from "../../faults/errors.ts";
import { LIMITS } from "../../faults/limits.ts";
import type { Showing } from "../../judges/questions.ts";
import { createRandom, hashText, shuffled } from "../../math/random.ts";
import { askAllAtOnce, type Schedule, type ScheduleInput } from "../schedule.ts";

/**
 * `samples` generations of one list (twice as many, each list also reversed, with `both_orders`).
 * Throws ApiError `list_too_long`.
 */
export function singleList({ keys, judge, seed }: ScheduleInput): Schedule {
  if (keys.length < LIMITS.list_candidates_min) return askAllAtOnce([]);
  if (keys.length > LIMITS.list_candidates_max) {
    throw new ApiError(
      "list_too_long",
      `A single list holds ${LIMITS.list_candidates_min}..${LIMITS.list_candidates_max} different candidates (list_candidates_max = ${LIMITS.list_candidates_max}), this group has ${keys.length}. Use mode "pairwise", or smaller groups.`,
    );
  }
  const byContent = keys.map((_, i) => i).sort((i, j) => compareKeys(keys[i] as never, keys[j] as never));
  const content = byContent.flatMap((i) => [...(keys[i] as readonly number[])]);
  const all: Showing[] = [];
  for (let sample = 0; sample < judge.samples; sample++) {
    const order = shuffled(byContent, createRandom(hashText("list", seed, sample, ...content)));
    all.push({ shown: order, samples: 1, first_sample: sample });
    if (judge.both_orders) all.push({ shown: [...order].reverse(), samples: 1, first_sample: judge.samples + sample });
  }
  return askAllAtOnce(all);
}
