// Defines what a spec without signals is as signals: one tournament and what is taken off.
import type { Spec } from "../contract/spec.ts";

/** The signals of a spec in the form without them, whose sum is its reward. */
export function flatSignals({ judge: { schedule, ...judge }, reward, format, overlong }: Spec) {
  return {
    base: { kind: "tournament", judge, schedule, score: reward },
    // Always asked of a spec without signals, named or not.
    format: { kind: "format", ...format, rules: [...format.rules, "fits"] },
    ...(overlong !== null && { overlong: { kind: "overlong", ...overlong } }),
  };
}
