// The presets by name: a new one is one entry of of-several.ts or of-one.ts.
import { firstWrongStep, labelModel, OF_ONE, scoreModel } from "./of-one.ts";
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
  "patch-multiselect": patchMultiselect,
  "trajectory-pair": trajectoryPair,
  "trajectory-point": trajectoryPoint,
  "diff-select": diffSelect,
};

/**
 * Of kinds of signals that bring their own messages, by the kind's name, which no spec can name as
 * its preset.
 */
const OF_KINDS: Readonly<Record<string, Preset>> = { score_model: scoreModel, label_model: labelModel };

/**
 * The preset of a name, or null; `code-select` and `code-select-cot` are templates. A deployment's
 * own stands for itself (own.ts).
 */
export const presetNamed = (name: string): Preset | null =>
  isTemplateKey(name)
    ? templateOfKey(name)
    : ([PRESETS, OF_KINDS].find((table) => Object.hasOwn(table, name))?.[name] ?? null);
