// The built-in presets by name. New presets should be templates (lab/templates), unless every deployment
// needs them.

import { BUILT_IN, stepSummary } from "./built-in.ts";
import { DECISION } from "./decision.ts";
import { isTemplateKey, templateOfKey } from "./own.ts";
import { listLimit, type Preset } from "./preset.ts";

/** Names of all presets; those for decision models come last. */
export const presetNames = (): string[] => [...Object.keys(BUILT_IN), ...Object.keys(DECISION)];

/** Which kind of backend answers a prompt. */
export const backendFor = (prompt: string): "chat" | "decide" =>
  presetNamed(prompt)?.style === "decision" ? "decide" : "chat";

/** Name of the preset that presets with a `summary` ask first. Specs cannot select it. */
export const STEP_SUMMARY = "step_summary";

/** Whether a model first summarises the solution in steps. */
export const isSummarised = (prompt: string): boolean => presetNamed(prompt)?.summary === true;

/**
 * Returns the preset with this name, or null. `code-select` and `code-select-cot` are templates and not
 * presets. For a deployment's template, the name is the template itself (see own.ts).
 */
export const presetNamed = (name: string): Preset | null => {
  if (isTemplateKey(name)) return templateOfKey(name);
  if (name === STEP_SUMMARY) return stepSummary;
  if (Object.hasOwn(BUILT_IN, name)) return BUILT_IN[name] as Preset;
  return Object.hasOwn(DECISION, name) ? (DECISION[name] as Preset) : null;
};

/** Name of the limit on the candidates of one list with this prompt. */
export const listLimitOf = (prompt: string) => listLimit(presetNamed(prompt));
