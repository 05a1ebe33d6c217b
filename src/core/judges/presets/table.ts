// The presets by name: a new one is one file and one line here.
import { arena5 } from "./arena-5.ts";
import { compassverifier } from "./compassverifier.ts";
import { deepseekGrm, deepseekGrmPoint } from "./deepseek-grm.ts";
import { firstWrongStep } from "./first-wrong-step.ts";
import { generalVerifier } from "./general-verifier.ts";
import { judgelrm } from "./judgelrm.ts";
import { labelModel } from "./label-model.ts";
import { lav } from "./lav.ts";
import { letterSelect } from "./letter-select.ts";
import { mtbenchAb } from "./mtbench-ab.ts";
import { nemotronGenrm } from "./nemotron-genrm.ts";
import { isTemplateKey, templateOfKey } from "./own.ts";
import { patchMultiselect } from "./patch-multiselect.ts";
import type { Preset } from "./preset.ts";
import { prometheus, prometheusPair } from "./prometheus.ts";
import { rewardanything } from "./rewardanything.ts";
import { rmR1 } from "./rm-r1.ts";
import { rubric } from "./rubric.ts";
import { rubricItems } from "./rubric-items.ts";
import { rubricRating } from "./rubric-rating.ts";
import { rubricRm } from "./rubric-rm.ts";
import { ruler } from "./ruler.ts";
import { scoreModel } from "./score-model.ts";
import { selene, selenePair } from "./selene.ts";
import { textSelect } from "./text-select.ts";
import { diffSelect, trajectoryPair, trajectoryPoint } from "./trajectory.ts";
import { xverify } from "./xverify.ts";
import { yesNo } from "./yes-no.ts";

export const PRESETS: Readonly<Record<string, Preset>> = {
  "text-select": textSelect,
  "letter-select": letterSelect,
  "mtbench-ab": mtbenchAb,
  "arena-5": arena5,
  "rm-r1": rmR1,
  judgelrm,
  "nemotron-genrm": nemotronGenrm,
  "deepseek-grm": deepseekGrm,
  "deepseek-grm-point": deepseekGrmPoint,
  rewardanything,
  ruler,
  "rubric-rm": rubricRm,
  rubric,
  "rubric-items": rubricItems,
  "rubric-rating": rubricRating,
  selene,
  "selene-pair": selenePair,
  prometheus,
  "prometheus-pair": prometheusPair,
  compassverifier,
  xverify,
  "general-verifier": generalVerifier,
  "yes-no": yesNo,
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
