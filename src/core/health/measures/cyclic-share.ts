// Owns the measure `cyclic_share`.
import { documented, GROUPS, measure } from "./measure.ts";

export const cyclicShare = measure("cyclic_share", "share", GROUPS, "sum(circles)::float8 / nullif(sum(triples), 0)");
export const page = /* @__PURE__ */ documented(cyclicShare, {
  words: "of three candidates whose pairs were all won, how often wins go in a circle",
  drawn: { chart: "judge: ties, flips, circles, jams", as: "circles" },
});
