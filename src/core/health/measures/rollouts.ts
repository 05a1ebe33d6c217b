// Owns the measure `rollouts`: how many were scored.
import { documented, measure, ROLLOUTS } from "./measure.ts";

export const rollouts = measure("rollouts", "count", ROLLOUTS, "count(*)");
export const page = /* @__PURE__ */ documented(rollouts, { words: "rollouts" });
