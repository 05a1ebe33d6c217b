// Owns the measure `latency_p99_ms`: of groups that an answer came to.
import { documented, GROUPS, measure } from "./measure.ts";

export const latencyP99 = measure(
  "latency_p99_ms",
  "ms",
  GROUPS,
  "percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_p99_ms) FILTER (WHERE generations > failed)",
);
export const page = /* @__PURE__ */ documented(latencyP99, { words: "median over groups" });
