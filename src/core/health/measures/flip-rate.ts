// Owns the measure `flip_rate`: mean over groups.
import { documented, GROUPS, measure } from "./measure.ts";

export const flipRate = measure("flip_rate", "share", GROUPS, "avg(position_flip_rate)");
export const page = /* @__PURE__ */ documented(flipRate, {
  words: "share of pairs whose outcome changed with the order in which they were shown",
  drawn: { chart: "judge: ties, flips, circles, jams", as: "flips" },
});
