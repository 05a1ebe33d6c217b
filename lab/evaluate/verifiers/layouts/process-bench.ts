// ProcessBench's rows (Zheng et al. 2024, arXiv 2412.06559): a solution in steps, and the first that is
// wrong.
import * as z from "zod";
import { steps } from "../families/steps.ts";
import { benchmark } from "../items/benchmark.ts";
import { optional, text } from "./fields.ts";

const RowSchema = z
  .object({
    id: optional,
    generator: optional,
    problem: text,
    steps: z.array(text).min(1),
    label: z.int().min(-1),
  })
  .refine((row) => row.label < row.steps.length, { path: ["label"], message: "is not the index of a step" });

/** Ids are the subset's name and a number: `olympiadbench-17`. */
const subsetOf = (id: string | null) => /^(.+)-\d+$/.exec(id ?? "")?.[1] ?? "all";

export const processBench = benchmark({
  description: "ProcessBench: problem, steps, label (the first wrong step from 0, or -1)",
  spec: { signals: { steps: { kind: "steps", source: "judge" } } },
  row: RowSchema,
  item: (row, place) => ({
    id: row.id ?? place,
    problem: row.problem,
    subset: subsetOf(row.id),
    difficulty: subsetOf(row.id),
    generator: row.generator,
    group: { prompt: row.problem, rollouts: [{ text: row.steps.join("\n\n"), step_texts: row.steps }] },
    label: row.label,
  }),
  family: steps,
});
