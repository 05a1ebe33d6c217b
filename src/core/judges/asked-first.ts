// Owns how a judge that is asked first (`judge.first`) is asked: its settings as those of any judge.
import { canonicalJudge, JudgeSchema, type Spec } from "../contract/spec.ts";

const DEFAULTS = JudgeSchema.parse({});

/** The judge that is asked before this one; null where none is. */
export function firstJudgeOf(judge: Spec["judge"]): Spec["judge"] | null {
  const { first, both_orders, temperature, top_p, rubric, principle, strict_model, images, min_decided } = judge;
  if (first === undefined) return null;
  const { preset, vote, max_tokens, model = judge.model, extra } = first;
  const alike = { both_orders, temperature, top_p, rubric, principle, strict_model, images, min_decided };
  return canonicalJudge({ ...DEFAULTS, ...alike, preset, vote, max_tokens, model, extra, reask: 0 });
}

/** The judge that a question is put to. */
export const judgeAsked = (judge: Spec["judge"], { by }: { by?: "first" | undefined }): Spec["judge"] =>
  (by === "first" ? firstJudgeOf(judge) : null) ?? judge;
