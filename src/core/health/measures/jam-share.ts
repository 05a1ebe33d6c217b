// Owns the measure `jam_share`.
import { documented, measure, ROLLOUTS } from "./measure.ts";

export const jamShare = measure("jam_share", "share", ROLLOUTS, "avg(jams_judge::int)::float8");
export const page = /* @__PURE__ */ documented(jamShare, {
  words: "share of rollouts on which the judge's answers cannot be read",
  drawn: { chart: "judge: ties, flips, circles, jams", as: "jams" },
});
