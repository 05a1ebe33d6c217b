// Collects the rules of a spec's signals that affect how a group is prepared. Groups are prepared in
// ../candidate/prepare.ts.
import type { PreparerRules } from "../candidate/prepare.ts";
import type { CompiledSpec } from "./compiled-spec.ts";

/**
 * The format rules of each signal, with the path of the spec field that sets them. Breaking a rule is a
 * forfeit.
 */
export function preparerRules({ spec, signals }: CompiledSpec): PreparerRules {
  const formats = signals.flatMap(({ name, field, signal, settings }) => {
    const rules = signal.rules?.(settings);
    return rules === undefined ? [] : [[name, { rules, path: `spec.${field}.rules` }] as const];
  });
  return { candidate: spec.candidate, formats: Object.fromEntries(formats) };
}
