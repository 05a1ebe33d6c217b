// This tool's own layout of rubrics: which criteria people found met.
import * as z from "zod";
import { labels } from "../families/labels.ts";
import { benchmark } from "../items/benchmark.ts";
import { optional, text } from "./fields.ts";

const RowSchema = z
  .object({
    id: optional,
    prompt: text,
    completion: text,
    rubric: z.array(z.looseObject({ id: z.string().min(1) })).min(1),
    met: z
      .record(z.string(), z.boolean())
      .refine((met) => Object.keys(met).length > 0, "must contain at least one criterion"),
    problem: optional,
    subset: optional,
    difficulty: optional,
    generator: optional,
  })
  .refine(({ rubric, met }) => Object.keys(met).every((id) => rubric.some((item) => item.id === id)), {
    path: ["met"],
    message: "contains a criterion that is not in the rubric",
  });

export const rubrics = benchmark({
  description:
    "texts with rubric criteria and whether each is met: prompt, completion, rubric: [{id, text, ..}], met: {id: true}",
  spec: { signals: { style: { kind: "rubric" } } },
  row: RowSchema,
  item: (row, place) => ({
    id: row.id ?? place,
    problem: row.problem ?? row.prompt,
    subset: row.subset ?? "all",
    difficulty: row.difficulty ?? null,
    generator: row.generator ?? null,
    group: { prompt: row.prompt, rubric: row.rubric, rollouts: [{ text: row.completion }] },
    label: row.met,
  }),
  family: labels,
});
