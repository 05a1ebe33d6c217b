// The spec: every setting that decides a reward, in canonical form.
import type { CandidateRule } from "../contract/candidate-rule.ts";
import type { KeptTexts } from "../contract/kept-texts.ts";
import type { Audit } from "../contract/spec.ts";

/** A signal in a spec, in canonical form: `kind`, `when` and `skip_value`, plus the kind's own settings. */
export interface SpecSignal {
  kind: string;
  when?: string | undefined;
  skip_value?: number | undefined;
  [setting: string]: unknown;
}

/** Named signals and an expression over them. A spec in the flat form is converted when it is read. */
export interface Spec extends KeptTexts {
  /** The form in which the author wrote the spec. Only ./spec-forms.ts reads it. */
  form: "flat" | "signals";
  candidate: CandidateRule;
  /** Signals by name, in ascending order. */
  signals: Readonly<Record<string, SpecSignal>>;
  /** Expression over the signals. */
  reward: string;
  seed: number;
  audit?: Audit;
}

/** Applies a change to each signal of a spec. */
export const withSignals = (spec: Spec, change: (signal: SpecSignal) => SpecSignal): Spec => ({
  ...spec,
  signals: Object.fromEntries(Object.entries(spec.signals).map(([name, signal]) => [name, change(signal)])),
});

/** The expression that adds up the named signals. */
export const sumOf = (names: readonly string[]): string => names.join(" + ");
