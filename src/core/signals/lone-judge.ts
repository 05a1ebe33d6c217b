// Settings of a judge that sees one candidate at a time.

import * as z from "zod";
import { said } from "#said";
import { factOf, type Judge } from "../asking/signal.ts";
import { canonicalJudge, JudgeSchema, type JudgeSettings } from "../contract/judge-settings.ts";
import { DEFAULT_SPEC } from "../contract/spec.ts";
import { wholeFrom } from "../faults/bounded.ts";
import { softFault } from "../judges/anchors.ts";

/** Schema of a field that canonical specs contain but that has no effect on a judge of single candidates. */
const inert = <T extends string | boolean>(value: T) =>
  z.literal(value).optional().meta(said("accepted because canonical specs contain it; has no effect"));

/** The judge schema without the fields that matter only for comparisons. */
export const LoneJudgeSchema = JudgeSchema.omit({
  mode: true,
  both_orders: true,
  budget: true,
  samples: true,
}).extend({
  mode: inert("pairwise"),
  both_orders: inert(false),
  schedule: inert("round_robin"),
  samples: wholeFrom(1, "samples_max").default(1),
});

/**
 * The default prompt of `JudgeSchema`. The prompt compares candidates, so for a judge of single candidates it
 * means that the spec names no preset.
 */
const UNNAMED = "code-select";

/**
 * The judge in the canonical form that all judges share.
 * @param preset used if the spec names none; if omitted, the default prompt is kept
 */
export function canonicalLoneJudge(judge: z.output<typeof LoneJudgeSchema>, preset?: string): JudgeSettings {
  const named = judge.preset ?? (judge.prompt === UNNAMED ? preset : undefined);
  return canonicalJudge({ ...judge, preset: named, mode: "pairwise", both_orders: false });
}

/** Field and message if the preset's answers cannot be read with the judge's `vote`; null if they can. */
export function voteFault(judge: JudgeSettings): { path: readonly string[]; message: string } | null {
  const soft = softFault(judge);
  return soft === null ? null : { path: ["judge", "vote"], message: soft };
}

/**
 * Judge settings for questions to a checker, a sandbox or a process reward model, which neither sample nor
 * generate.
 */
export const UNSAMPLED: Judge = { ...DEFAULT_SPEC.judge, temperature: 0, max_tokens: 1, reask: 0 };

/**
 * A group's reference as shown to the verifier. If there are several references, an answer may match any of
 * them.
 */
export function referenceOf(group: object): string | undefined {
  const given = factOf<string | string[]>(group, "reference");
  return Array.isArray(given) ? orOf(given) : given;
}

export const orOf = (references: readonly string[]): string => references.join("\nor: ");
