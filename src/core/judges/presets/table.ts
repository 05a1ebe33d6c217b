// The built-in presets by name. A new preset is a template (lab/templates), unless every deployment needs it.

import { BUILT_IN, stepSummary } from "./built-in.ts";
import { DECISION } from "./decision.ts";
import { isTemplateKey, templateOfKey } from "./own.ts";
import type { Preset } from "./preset.ts";

/** Names of all presets; decision models come last. */
export const presetNames = (): string[] => [...Object.keys(BUILT_IN), ...Object.keys(DECISION)];

/** The kind of backend that answers a prompt. */
export const backendFor = (prompt: string): "chat" | "decide" =>
  presetNamed(prompt)?.style === "decision" ? "decide" : "chat";

/** Name of the first turn of presets with a `summary`. A spec cannot use it as its preset. */
export const STEP_SUMMARY = "step_summary";

/** Whether a model first summarises the text in steps. */
export const isSummarised = (prompt: string): boolean => presetNamed(prompt)?.summary === true;

/**
 * Returns the preset of a name, or null; `code-select` and `code-select-cot` are templates, not presets. The
 * name of a deployment's template is the template itself (own.ts).
 */
export const presetNamed = (name: string): Preset | null => {
  if (isTemplateKey(name)) return templateOfKey(name);
  if (name === STEP_SUMMARY) return stepSummary;
  if (Object.hasOwn(BUILT_IN, name)) return BUILT_IN[name] as Preset;
  return Object.hasOwn(DECISION, name) ? (DECISION[name] as Preset) : null;
};
