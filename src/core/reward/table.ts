// Table of signals by kind. To add a kind, write one file and add one line here.

import type { Signal } from "../asking/signal.ts";
import { consensus } from "../signals/consensus.ts";
import { external } from "../signals/external.ts";
import { format } from "../signals/format.ts";
import { grade } from "../signals/grade.ts";
import { length } from "../signals/length.ts";
import { logprob } from "../signals/logprob.ts";
import { number } from "../signals/number.ts";
import { overlong } from "../signals/overlong.ts";
import { random } from "../signals/random.ts";
import { reference } from "../signals/reference.ts";
import { repetition } from "../signals/repetition.ts";
import { rubric } from "../signals/rubric.ts";
import { scalar } from "../signals/scalar.ts";
import { steps } from "../signals/steps.ts";
import { tests } from "../signals/tests.ts";
import { textSimilarity } from "../signals/text-similarity.ts";
import { tournament } from "../tournament/tournament.ts";

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
  textSimilarity,
  external,
  number,
  random,
];
