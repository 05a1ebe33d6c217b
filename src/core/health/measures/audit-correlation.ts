// Owns the measure `audit_correlation`.
import { documented, measure, withinGroups } from "./measure.ts";

export const auditCorrelation = measure(
  "audit_correlation",
  "correlation",
  withinGroups("complete", "audit"),
  "avg(rho)",
);
export const page = /* @__PURE__ */ documented(auditCorrelation, {
  words: "Spearman's, of reward and audit within groups, mean over the step's audited groups",
  drawn: { chart: "agreement with the second judge", as: "audit", bridged: true },
});
