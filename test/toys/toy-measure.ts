// A measure that a test adds: tokens of the longest rollout.
import { documented, measure, ROLLOUTS } from "../../src/core/health/measures/measure.ts";

export const toyMeasure = measure("toy_longest", "tokens", ROLLOUTS, "max(length_tokens)");
export const page = documented(toyMeasure, {
  words: "the toy's longest rollout, tokens",
  drawn: { chart: "the toy's lengths", as: "longest" },
});
