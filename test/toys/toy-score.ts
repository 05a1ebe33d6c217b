// A score that a test adds: ten for a rollout that never lost, else nothing.
import type { Score } from "../../src/core/tournament/score.ts";

export const toyScore: Score = {
  range: () => [0, 10],
  valuesOf: ({ tallies }) => tallies.map(({ losses }) => (losses === 0 ? 10 : 0)),
};
