// Owns the round robin: every pair of classes once (or in both orders), all in one wave.

import { compareKeys } from "../../candidate/classes.ts";
import type { Showing } from "../../judges/questions.ts";
import { hashText } from "../../math/random.ts";
import { askAllAtOnce, type Schedule, type ScheduleInput } from "../schedule.ts";

/**
 * n(n-1)/2 pairs x orders x samples generations. Which of two is shown as A hangs on the seed and
 * their content only.
 */
export function roundRobin({ keys, judge, seed }: ScheduleInput): Schedule {
  const all: Showing[] = [];
  for (let i = 0; i < keys.length; i++) {
    for (let j = i + 1; j < keys.length; j++) {
      const [a, b] = [keys[i], keys[j]] as [(typeof keys)[0], (typeof keys)[0]];
      const [low, high] = compareKeys(a, b) <= 0 ? [i, j] : [j, i];
      if (judge.both_orders) {
        all.push({ shown: [low, high], samples: judge.samples }, { shown: [high, low], samples: judge.samples });
      } else {
        const [lowKey, highKey] = low === i ? [a, b] : [b, a];
        const flip = (hashText("pair", seed, ...lowKey, ...highKey)[0] & 1) === 1;
        all.push({ shown: flip ? [high, low] : [low, high], samples: judge.samples, stop: "majority" });
      }
    }
  }
  return askAllAtOnce(all);
}
