// Defines what of a spec's signals decides how a group is prepared. The preparing itself:
// ../candidate/prepare.ts.
import type { PreparerRules } from "../candidate/prepare.ts";
import type { CompiledSpec } from "./compiled-spec.ts";

/**
 * The rules whose breach is a forfeit, by the signal that has them, with the field in which they
 * stand.
 */
export function preparerRules({ spec, signals }: CompiledSpec): PreparerRules {
  const formats = signals.flatMap(({ name, field, signal, settings }) => {
    const rules = signal.rules?.(settings);
    return rules === undefined ? [] : [[name, { rules, path: `spec.${field}.rules` }] as const];
  });
  return { candidate: spec.candidate, formats: Object.fromEntries(formats) };
}
