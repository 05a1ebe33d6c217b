// Collects the rules of a spec's signals that affect how a group is prepared. The preparation:
// ../candidate/prepare.ts.
import type { PreparerRules } from "../candidate/prepare.ts";
import type { CompiledSpec } from "./compiled-spec.ts";

/** The format rules per signal; breaking one is a forfeit. Each entry has the path of its spec field. */
export function preparerRules({ spec, signals }: CompiledSpec): PreparerRules {
  const formats = signals.flatMap(({ name, field, signal, settings }) => {
    const rules = signal.rules?.(settings);
    return rules === undefined ? [] : [[name, { rules, path: `spec.${field}.rules` }] as const];
  });
  return { candidate: spec.candidate, formats: Object.fromEntries(formats) };
}
