// Owns the measure `cyclic_share`.
import { documented, GROUPS, measure } from "./measure.ts";

export const cyclicShare = measure("cyclic_share", "share", GROUPS, "avg(cyclic::int)::float8");
export const page = /* @__PURE__ */ documented(cyclicShare, {
  words: "groups whose wins go in a circle, of those in which they could",
  drawn: { chart: "judge: ties, flips, circles, jams", as: "circles" },
});
