// The presets by name: a new one is one entry of of-several.ts or of-one.ts.
import { firstWrongStep, labelModel, OF_ONE, scoreModel, stepSummary, summaryFirstWrongStep } from "./of-one.ts";
import { lav, OF_SEVERAL, patchMultiselect } from "./of-several.ts";
import { isTemplateKey, templateOfKey } from "./own.ts";
import type { Preset } from "./preset.ts";
import { diffSelect, trajectoryPair, trajectoryPoint } from "./trajectory.ts";

/** In the order in which they are listed to people. */
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

/** The first turn of presets with a `summary`. */
export const STEP_SUMMARY = "step_summary";

/**
 * Of kinds of signals that bring their own messages, by the kind's name, and of a first turn: no
 * spec can name them as its preset.
 */
const OF_KINDS: Readonly<Record<string, Preset>> = {
  score_model: scoreModel,
  label_model: labelModel,
  [STEP_SUMMARY]: stepSummary,
};

/** Whether a model first says in steps what the text does. */
export const isSummarised = (prompt: string): boolean => presetNamed(prompt)?.summary === true;

/**
 * The preset of a name, or null; `code-select` and `code-select-cot` are templates. A deployment's
 * own stands for itself (own.ts).
 */
export const presetNamed = (name: string): Preset | null =>
  isTemplateKey(name)
    ? templateOfKey(name)
    : ([PRESETS, OF_KINDS].find((table) => Object.hasOwn(table, name))?.[name] ?? null);
