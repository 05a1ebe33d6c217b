// Builds the spec that the name `default` refers to when a deployment sets its own default judge.
import { DEFAULT_SPEC } from "../contract/spec.ts";
import { presetNamed } from "../judges/presets/table.ts";
import type { AnySpec } from "./compiled-spec.ts";
import { AnySpecSchema } from "./signals-spec.ts";

/**
 * The API's default spec with the given preset: a tournament if the preset compares candidates, a `grade` if
 * it judges one candidate at a time, `steps` if it locates a wrong step. Presets judge whole rollouts; code
 * templates judge extracted programs.
 * @param name name of an existing preset or template
 */
export function specOfJudge(name: string): AnySpec {
  const preset = presetNamed(name);
  if (preset === null) return { ...DEFAULT_SPEC, judge: { ...DEFAULT_SPEC.judge, prompt: name } };
  const candidate = { extract: "whole" };
  const judge = { preset: name };
  const compares = preset.shape === "pair" || preset.shape === "list";
  if (compares) return AnySpecSchema.parse({ candidate, judge });
  const signals =
    preset.shape === "steps"
      ? { steps: { kind: "steps", source: "judge", judge } }
      : { grade: { kind: "grade", judge } };
  return AnySpecSchema.parse({ candidate, signals });
}
