// RewardBench 2's rows (Malik et al. 2025, arXiv 2506.01937): right completions and wrong ones, and its
// subset of ties, whose ids say which prompts belong together.
import * as z from "zod";
import { promptOf } from "../../../templates/index.ts";
import { bestOf } from "../families/best-of.ts";
import { benchmark } from "../items/benchmark.ts";
import { optional, text } from "./fields.ts";

const RowSchema = z.object({
  id: text,
  prompt: text,
  chosen: z.array(text).min(1),
  rejected: z.array(text).min(1),
  subset: text,
  models: z.array(z.string()).nullish(),
  difficulty: optional,
});

const TIE_ID = /^(ref|tied):(.+)$/;

function tieOf({ id, subset }: z.output<typeof RowSchema>) {
  if (subset.toLowerCase() !== "ties") return null;
  const [, kind, prompt] = TIE_ID.exec(id) ?? [];
  return kind === undefined || prompt === undefined ? null : { kind: kind as "ref" | "tied", prompt };
}

export const rewardBench2 = benchmark({
  description: "RewardBench 2: prompt, chosen: [..], rejected: [..], subset; best of 4, and a separate score for ties",
  spec: { signals: { score: { kind: "grade", judge: { prompt: promptOf("deepseek-grm-point") } } } },
  row: RowSchema.refine((row) => row.subset.toLowerCase() !== "ties" || TIE_ID.test(row.id), {
    path: ["id"],
    message: "must be ref:N or tied:N in the subset Ties",
  }),
  item: (row) => ({
    id: row.id,
    problem: row.prompt,
    subset: row.subset,
    difficulty: row.difficulty,
    generator: null,
    group: {
      prompt: row.prompt,
      rollouts: [...row.chosen, ...row.rejected].map((completion) => ({ text: completion })),
    },
    label: { correct: row.chosen.length, tie: tieOf(row) },
  }),
  family: bestOf,
});
