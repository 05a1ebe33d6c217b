// Converts a flat spec to signals: one tournament, a format penalty and an optional overlong penalty.
import type { Spec } from "../contract/spec.ts";

/** The signals of a flat spec; the reward is their sum. */
export function flatSignals({ judge: { schedule, ...judge }, reward, format, overlong }: Spec) {
  return {
    base: { kind: "tournament", judge, schedule, score: reward },
    // A flat spec always applies `fits`, even if it is not listed.
    format: { kind: "format", ...format, rules: [...format.rules, "fits"] },
    ...(overlong !== null && { overlong: { kind: "overlong", ...overlong } }),
  };
}
