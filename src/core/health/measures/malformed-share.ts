// Owns the measure `malformed_share`.
import { documented, measure, ROLLOUTS } from "./measure.ts";

export const malformedShare = measure("malformed_share", "share", ROLLOUTS, "avg((NOT format_ok)::int)::float8");
export const page = /* @__PURE__ */ documented(malformedShare, { words: "of rollouts that break a format rule" });
