// The texts of a spec's judge that fill its preset's slots.
import type { Spec } from "../contract/spec.ts";
import type { PromptSlots } from "./prompt-job.ts";

/** `slots` of a question, left out where the spec gives none; `reference` is the group's. */
export function slotsOf({ rubric, principle }: Spec["judge"], reference?: string): { slots?: PromptSlots } {
  if (rubric === undefined && principle === undefined && reference === undefined) return {};
  return { slots: { rubric, principle, reference } };
}
