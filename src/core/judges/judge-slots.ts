// Fills the slots of a judge's preset with the strings that the spec sets.
import type { JudgeSettings } from "../contract/judge-settings.ts";
import type { PromptSlots } from "./prompt-job.ts";

/**
 * Returns the `slots` of a question, or an empty object if there are none. `reference` comes from the group.
 */
export function slotsOf({ rubric, principle }: JudgeSettings, reference?: string): { slots?: PromptSlots } {
  if (rubric === undefined && principle === undefined && reference === undefined) return {};
  return { slots: { rubric, principle, reference } };
}
