// A measure that a test adds: tokens of the longest rollout.
import type { Measure } from "../../src/core/health/measures.ts";

export const toyMeasure = {
  name: "toy_longest",
  unit: "tokens",
  from: "rol",
  sql: "max(length_tokens)",
} as const satisfies Measure;
export const toyPage = {
  words: "the toy's longest rollout, tokens",
  drawn: { chart: "the toy's lengths", as: "longest" },
};
