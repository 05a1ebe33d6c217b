// Owns the table of signals by kind: a new kind is one file and one line here.
import { consensus } from "./consensus.ts";
import { external } from "./external.ts";
import { format } from "./format.ts";
import { grade } from "./grade.ts";
import { labelModel } from "./label-model.ts";
import { length } from "./length.ts";
import { logprob } from "./logprob.ts";
import { overlong } from "./overlong.ts";
import { reference } from "./reference.ts";
import { repetition } from "./repetition.ts";
import { rubric } from "./rubric.ts";
import { scalar } from "./scalar.ts";
import { scoreModel } from "./score-model.ts";
import type { Signal } from "./signal.ts";
import { steps } from "./steps.ts";
import { stringCheck } from "./string-check.ts";
import { tests } from "./tests.ts";
import { textSimilarity } from "./text-similarity.ts";
import { tournament } from "./tournament.ts";

export const SIGNALS: readonly Signal[] = [
  tournament,
  format,
  overlong,
  length,
  repetition,
  tests,
  steps,
  logprob,
  consensus,
  reference,
  scalar,
  grade,
  rubric,
  stringCheck,
  textSimilarity,
  scoreModel,
  labelModel,
  external,
];
