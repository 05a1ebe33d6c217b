// Whether a spec's judge can be asked in its preset's words.
import type { Spec } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import { promptTitle } from "./presets/own.ts";
import { presetNamed } from "./presets/table.ts";

/**
 * @param path where the judge stands
 * @param kind of the signal: a tournament holds candidates against each other, others look at one
 * @throws ApiError `invalid_request`, naming the field
 */
export function requireShape({ prompt, mode, form, images }: Spec["judge"], path: string, kind: string): void {
  const compares = kind === "tournament";
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
    refuse("preset", `${promptTitle(prompt)} ${other}`);
  }
  if (preset === null) return;
  if ((preset.shape === "steps") !== (kind === "steps")) {
    const other =
      kind === "steps" ? "names no first wrong step" : "names a first wrong step: use a signal of kind steps";
    refuse("preset", `${promptTitle(prompt)} ${other}`);
  }
  if (images === true && preset.style === "completion")
    refuse("images", `${promptTitle(prompt)} is one text to complete, which holds none`);
  if (preset.shape === "pair" && mode === "listwise")
    refuse("mode", `${promptTitle(prompt)} shows two candidates: use pairwise`);
  if (form !== "exact_match") refuse("form", `${promptTitle(prompt)} has a form of its own: leave it out`);
}
