// Owns the measure `incomplete_share`.
import { documented, measure, REQUESTS } from "./measure.ts";

export const incompleteShare = measure(
  "incomplete_share",
  "share",
  REQUESTS,
  `avg((warnings::text LIKE '%"group_incomplete%')::int)::float8`,
);
export const page = /* @__PURE__ */ documented(incompleteShare, {
  words: "of judgements over a part of their gathered group",
});
