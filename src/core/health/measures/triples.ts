// Owns the measure `triples`: what `cyclic_share` is a share of.
import { documented, GROUPS, measure } from "./measure.ts";

export const triples = measure("triples", "count", GROUPS, "sum(triples)::int");
export const page = /* @__PURE__ */ documented(triples, { words: "three candidates whose pairs were all won" });
