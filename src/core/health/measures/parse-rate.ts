// Owns the measure `parse_rate`: of the answers that came.
import { documented, GROUPS, measure } from "./measure.ts";

export const parseRate = measure(
  "parse_rate",
  "share",
  GROUPS,
  "sum(parsed)::float8 / nullif(sum(parsed + unparsed), 0)",
);
export const page = /* @__PURE__ */ documented(parseRate, {
  words: "share of generations that could be read as a verdict",
});
