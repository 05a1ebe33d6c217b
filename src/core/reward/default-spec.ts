// Builds the spec that the name `default` refers to when a deployment sets its own default judge.

import { DEFAULT_SPEC } from "../contract/spec.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { SpecSchema } from "./signals-spec.ts";
import type { Spec } from "./spec.ts";
import { ofFlat } from "./spec-forms.ts";

/** The spec named `default`, unless the deployment sets its own. */
export const BUILT_IN_DEFAULT: Spec = ofFlat(DEFAULT_SPEC);

/**
 * The API's default spec with the given preset: a tournament if the preset compares candidates, a `grade` if
 * it judges one candidate at a time, `steps` if it locates a wrong step. Presets judge whole rollouts; code
 * templates judge extracted programs.
 * @param name name of an existing preset or template
 */
export function specOfJudge(name: string): Spec {
  const preset = presetNamed(name);
  if (preset === null) return ofFlat({ ...DEFAULT_SPEC, judge: { ...DEFAULT_SPEC.judge, prompt: name } });
  const candidate = { extract: "whole" };
  // A decision model's list may show a whole group in one question.
  const judge = { preset: name, ...(name === "decide-best" && { mode: "listwise" }) };
  const compares = preset.shape === "pair" || preset.shape === "list";
  if (compares) return SpecSchema.parse({ candidate, judge });
  const signals =
    preset.shape === "steps"
      ? { steps: { kind: "steps", source: "judge", judge } }
      : { grade: { kind: "grade", judge } };
  return SpecSchema.parse({ candidate, signals });
}
