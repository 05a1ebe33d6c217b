// Owns how the model is asked that checks a judge's answers.
import type { Judge } from "../asking/signal.ts";
import { canonicalLoneJudge, LoneJudgeSchema, UNSAMPLED } from "./lone-judge.ts";

/** The preset in whose words a model is asked where the spec names none. */
const PRESET = "yes-no";

/** What a scalar model is asked by, which has no words of its own. */
const SCALAR = "scalar";

/** Null where the judge's answers count as they are. */
export function filterJudge({ filter, max_tokens }: Judge): Judge | null {
  if (filter === undefined) return null;
  const { by, preset = PRESET, model = null } = filter;
  if (by === "scalar") return { ...UNSAMPLED, prompt: SCALAR };
  return canonicalLoneJudge(LoneJudgeSchema.parse({ preset, model, max_tokens, reask: 0 }));
}
