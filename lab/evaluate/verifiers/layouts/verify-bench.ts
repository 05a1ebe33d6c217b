// VerifyBench's rows (Yan et al. 2025, arXiv 2505.15801): a reference answer, a completion, and whether it is
// right.
import * as z from "zod";
import { labels } from "../families/labels.ts";
import { benchmark } from "../items/benchmark.ts";
import { optional, text } from "./fields.ts";

const RowSchema = z.object({
  question_id: optional,
  completion_id: optional,
  question: text,
  answer: text,
  completion: text,
  gold_correct: z.boolean(),
  completion_model: optional,
  source: optional,
  answer_type: optional,
  answer_subtype: optional,
});

export const verifyBench = benchmark({
  description: "VerifyBench: question, answer, completion, gold_correct",
  spec: { signals: { right: { kind: "grade", judge: { preset: "compassverifier" } } } },
  row: RowSchema,
  item: (row, place) => ({
    id: row.completion_id ?? place,
    problem: row.question_id ?? row.question,
    subset: row.answer_type ?? "all",
    difficulty: row.source,
    generator: row.completion_model,
    group: { prompt: row.question, reference: row.answer, rollouts: [{ text: row.completion }] },
    label: row.gold_correct,
  }),
  family: labels,
});
