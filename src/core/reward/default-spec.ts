// The spec that a deployment's own default judge makes of `default`.
import { DEFAULT_SPEC } from "../contract/spec.ts";
import { presetNamed } from "../judges/presets/table.ts";
import type { AnySpec } from "./compiled-spec.ts";
import { AnySpecSchema } from "./signals-spec.ts";

/**
 * Every default of the contract, asked in a preset's words: a tournament where it compares, a grade
 * where it looks at one candidate, steps where it names a wrong one. A preset judges whole texts, a
 * code template programs.
 * @param name of a preset or a template that exists
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
