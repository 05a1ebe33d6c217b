// Owns the measure `tie_share`: of decided pairs.
import { documented, measure, ROLLOUTS } from "./measure.ts";

export const tieShare = measure(
  "tie_share",
  "share",
  ROLLOUTS,
  "sum(ties)::float8 / nullif(sum(wins + losses + ties), 0)",
);
export const page = /* @__PURE__ */ documented(tieShare, {
  words: "share of pairs that ended in a tie",
  drawn: { chart: "judge: ties, flips, circles, jams", as: "ties" },
});
