// Owns the ways of asking that the study compares: judge settings and the score that orders.
import { DEFAULT_SPEC, type NamedSchedule, type Spec } from "../../../src/core/contract/spec.ts";

export interface Way {
  name: string;
  judge: Spec["judge"];
  /** `points`: by mean outcome; `strength`: by Bradley-Terry. */
  score: "points" | "strength";
  /** What all others are compared with: all pairs, both orders, four votes each. */
  reference?: true;
}

const SOFT = "soft" as "majority";

function way(
  name: string,
  schedule: NamedSchedule,
  more: Partial<Spec["judge"]> = {},
  score: Way["score"] = "strength",
): Way {
  return { name, judge: { ...DEFAULT_SPEC.judge, schedule, ...more }, score };
}

const ring = (degree: number): NamedSchedule => ({ name: "circular", degree });

/** Votes are `soft` or the majority of so many samples, in one order or both. */
function ways(vote: "soft" | "hard", n: number): Way[] {
  const soft = vote === "soft";
  const base = soft ? { vote: SOFT } : {};
  const both = { ...base, both_orders: true };
  const close = { ...base, both_orders: "when_close" as const };
  const named = (name: string) => `${name}, ${vote}`;
  const degrees = [1, 2, 3, 4, 6].filter((degree) => degree < (n - 1) / 2);
  const fixed = [
    way(named("round robin"), "round_robin", base, "points"),
    way(named("round robin, both orders"), "round_robin", both, "points"),
    way(named("round robin, when close"), "round_robin", close, "points"),
    ...degrees.flatMap((degree) => [
      way(named(`circular ${degree}`), ring(degree), base),
      way(named(`circular ${degree}, both orders`), ring(degree), both),
    ]),
    way(named("anchored"), "anchored", base, "points"),
    way(named("anchored, both orders"), "anchored", both, "points"),
    way(named("pivot"), "pivot", base),
    way(named("swiss"), "swiss", base),
    way(named("swiss, both orders"), "swiss", both),
    way(named("knockout"), "knockout", base),
    way(named("active, half the pairs"), { name: "active", sure: 1 }, { ...base, budget: { ratio: 0.5 } }),
    way(named("active, a quarter"), { name: "active", sure: 1 }, { ...base, budget: { ratio: 0.25 } }),
    way(named("auto"), "auto", base),
    way(named("auto, both orders"), "auto", both),
  ];
  if (soft) return fixed;
  const until = { samples: { min: 2, max: 4, stop: "confidence" as const, confidence: 0.85 } };
  return [
    ...fixed,
    way(named("round robin, samples until sure"), "round_robin", until, "points"),
    way(named("anchored, both orders x 4"), "anchored", { both_orders: true, samples: 4 }, "points"),
  ];
}

/** Every way for lists of n; the first is the reference. */
export function waysFor(n: number): Way[] {
  const reference = {
    ...way("round robin, both orders x 4", "round_robin", { both_orders: true, samples: 4 }, "points"),
    reference: true as const,
  };
  return [reference, ...ways("soft", n), ...ways("hard", n)];
}
