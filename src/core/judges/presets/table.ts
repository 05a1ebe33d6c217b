// The presets by name. A new preset is one entry in of-several.ts or of-one.ts.

import { DECISION } from "./decision.ts";
import { firstWrongStep, OF_ONE, stepSummary, summaryFirstWrongStep } from "./of-one.ts";
import { lav, OF_SEVERAL, patchMultiselect } from "./of-several.ts";
import { isTemplateKey, templateOfKey } from "./own.ts";
import type { Preset } from "./preset.ts";
import { diffSelect, trajectoryPair, trajectoryPoint } from "./trajectory.ts";

/** The presets of chat models, in the order in which they are listed. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  ...OF_SEVERAL,
  ...OF_ONE,
  lav,
  "first-wrong-step": firstWrongStep,
  "summary-first-wrong-step": summaryFirstWrongStep,
  "patch-multiselect": patchMultiselect,
  "trajectory-pair": trajectoryPair,
  "trajectory-point": trajectoryPoint,
  "diff-select": diffSelect,
};

/** Names of all presets; decision models come last. */
export const presetNames = (): string[] => [...Object.keys(PRESETS), ...Object.keys(DECISION)];

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
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name] as Preset;
  return Object.hasOwn(DECISION, name) ? (DECISION[name] as Preset) : null;
};
