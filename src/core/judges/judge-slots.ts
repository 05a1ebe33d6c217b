// The texts in a spec's judge that fill the slots of its preset.
import type { Spec } from "../contract/spec.ts";
import type { PromptSlots } from "./prompt-job.ts";

/**
 * Returns the `slots` of a question, or an empty object if the spec gives none. `reference` is the group's.
 */
export function slotsOf({ rubric, principle }: Spec["judge"], reference?: string): { slots?: PromptSlots } {
  if (rubric === undefined && principle === undefined && reference === undefined) return {};
  return { slots: { rubric, principle, reference } };
}
