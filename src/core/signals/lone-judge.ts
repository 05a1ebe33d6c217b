// The settings of a judge that looks at one candidate at a time.

import * as z from "zod";
import { said } from "#said";
import { factOf, type Judge } from "../asking/signal.ts";
import { canonicalJudge, DEFAULT_SPEC, JudgeSchema, type Spec } from "../contract/spec.ts";
import { wholeFrom } from "../faults/bounded.ts";
import { softFault } from "../judges/anchors.ts";

/** A field of its canonical form, which stored specs hold: it says nothing of one candidate. */
const inert = <T extends string | boolean>(value: T) =>
  z.literal(value).optional().meta(said("as a spec's canonical form has it; of no effect"));

/** Without what only a comparison has. */
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

/** The prompt of a judge that names none; it compares, so a lone judge never means it. */
const UNNAMED = "code-select";

/**
 * The judge in the form in which all judges are asked.
 * @param preset asked where the spec names none; absent: none is put in its place
 */
export function canonicalLoneJudge(judge: z.output<typeof LoneJudgeSchema>, preset?: string): Spec["judge"] {
  const named = judge.preset ?? (judge.prompt === UNNAMED ? preset : undefined);
  return canonicalJudge({ ...judge, preset: named, mode: "pairwise", both_orders: false });
}

/** Where the judge's answers cannot be read as it votes, the field and why; else null. */
export function voteFault(judge: Spec["judge"]): { path: readonly string[]; message: string } | null {
  const soft = softFault(judge);
  return soft === null ? null : { path: ["judge", "vote"], message: soft };
}

/** For a checker, a sandbox or a process reward model: it samples nothing and generates nothing. */
export const UNSAMPLED: Judge = { ...DEFAULT_SPEC.judge, temperature: 0, max_tokens: 1, reask: 0 };

/** A group's reference as the verifier reads it; with several, any one may be met. */
export function referenceOf(group: object): string | undefined {
  const given = factOf<string | string[]>(group, "reference");
  return Array.isArray(given) ? orOf(given) : given;
}

export const orOf = (references: readonly string[]): string => references.join("\nor: ");
