// Whether a spec's judge can be asked in its preset's words.
import type { Spec } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import { presetNamed } from "./presets/table.ts";

/**
 * @param path where the judge stands
 * @param compares whether candidates are held against each other, and not looked at one by one
 * @throws ApiError `invalid_request`, naming the field
 */
export function requireShape({ prompt, mode, form }: Spec["judge"], path: string, compares: boolean): void {
  const preset = presetNamed(prompt);
  const several = preset === null || preset.shape === "pair" || preset.shape === "list";
  const refuse = (field: string, message: string) => {
    throw new ApiError("invalid_request", `${path}.${field}: ${message}.`, {
      errors: [{ path: `${path}.${field}`, message }],
    });
  };
  if (several !== compares) {
    const other = compares
      ? "looks at one candidate: use a signal of kind grade"
      : "compares candidates: use a tournament";
    refuse("preset", `${prompt} ${other}`);
  }
  if (preset === null) return;
  if (preset.shape === "pair" && mode === "listwise") refuse("mode", `${prompt} shows two candidates: use pairwise`);
  if (form !== "exact_match") refuse("form", `${prompt} has a form of its own: leave it out`);
}
