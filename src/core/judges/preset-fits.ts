// Checks that the judge settings of a spec fit the judge's preset.
import type { JudgeSettings } from "../contract/judge-settings.ts";
import { ApiError } from "../faults/errors.ts";
import { promptTitle } from "./presets/own.ts";
import { presetNamed } from "./presets/table.ts";

/**
 * Rejects a judge whose settings do not fit the shape of its preset.
 * @param path path of the judge in the request
 * @param kind kind of the signal: a tournament compares candidates, other kinds judge one candidate at a time
 * @throws ApiError `invalid_request`, naming the field
 */
export function requireShape({ prompt, mode, form, images }: JudgeSettings, path: string, kind: string): void {
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
      kind === "steps"
        ? "does not name the first wrong step"
        : "names the first wrong step: use a signal of kind steps";
    refuse("preset", `${promptTitle(prompt)} ${other}`);
  }
  if (images === true && preset.style === "completion")
    refuse("images", `${promptTitle(prompt)} is a text completion, which cannot contain images`);
  if (preset.shape === "pair" && mode === "listwise")
    refuse("mode", `${promptTitle(prompt)} shows two candidates: use pairwise`);
  if (form !== "exact_match") refuse("form", `${promptTitle(prompt)} has a fixed form: omit the field`);
}
