// JudgeBench's rows (Tan et al. 2024, arXiv 2410.12784): two answers, and which is right.
import * as z from "zod";
import { type Better, pairs } from "../families/pairs.ts";
import { benchmark } from "../items/benchmark.ts";
import { optional, text } from "./fields.ts";

const RowSchema = z.object({
  pair_id: optional,
  original_id: optional,
  source: text,
  question: text,
  response_model: optional,
  response_A: text,
  response_B: text,
  label: z.enum(["A>B", "B>A"]),
});

/** By what a source begins with. */
const CATEGORIES = {
  "mmlu-pro": "knowledge",
  "livebench-reasoning": "reasoning",
  "livebench-math": "math",
  livecodebench: "coding",
} as const;

const categoryOf = (source: string): string =>
  Object.entries(CATEGORIES).find(([start]) => source.startsWith(start))?.[1] ?? source;

export const judgeBench = benchmark({
  description: "JudgeBench: question, response_A, response_B, label A>B or B>A; every pair in both orders",
  spec: { signals: { better: { kind: "tournament", judge: { preset: "mtbench-ab", both_orders: true } } } },
  both_orders: true,
  row: RowSchema,
  item: (row, place) => ({
    id: row.pair_id ?? place,
    problem: row.original_id ?? row.question,
    subset: categoryOf(row.source),
    difficulty: row.source,
    generator: row.response_model,
    group: { prompt: row.question, rollouts: [{ text: row.response_A }, { text: row.response_B }] },
    label: (row.label === "A>B" ? 0 : 1) as Better,
  }),
  family: pairs,
});
