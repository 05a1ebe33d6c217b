// The presets by name: a new one is one file and one line here.
import { arena5 } from "./arena-5.ts";
import { compassverifier } from "./compassverifier.ts";
import { deepseekGrm, deepseekGrmPoint } from "./deepseek-grm.ts";
import { generalVerifier } from "./general-verifier.ts";
import { judgelrm } from "./judgelrm.ts";
import { mtbenchAb } from "./mtbench-ab.ts";
import { nemotronGenrm } from "./nemotron-genrm.ts";
import { patchMultiselect } from "./patch-multiselect.ts";
import type { Preset } from "./preset.ts";
import { prometheus, prometheusPair } from "./prometheus.ts";
import { rewardanything } from "./rewardanything.ts";
import { rmR1 } from "./rm-r1.ts";
import { rubric } from "./rubric.ts";
import { rubricRm } from "./rubric-rm.ts";
import { ruler } from "./ruler.ts";
import { selene, selenePair } from "./selene.ts";
import { textSelect } from "./text-select.ts";
import { xverify } from "./xverify.ts";
import { yesNo } from "./yes-no.ts";

export const PRESETS: Readonly<Record<string, Preset>> = {
  "text-select": textSelect,
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
  selene,
  "selene-pair": selenePair,
  prometheus,
  "prometheus-pair": prometheusPair,
  compassverifier,
  xverify,
  "general-verifier": generalVerifier,
  "yes-no": yesNo,
  "patch-multiselect": patchMultiselect,
};

/** The preset of a name, or null; `code-select` and `code-select-cot` are templates. */
export const presetNamed = (name: string): Preset | null =>
  Object.hasOwn(PRESETS, name) ? (PRESETS[name] as Preset) : null;
