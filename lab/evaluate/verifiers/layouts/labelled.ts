// This tool's own layout: a text and whether it is right, with whatever a verifier may need.
import * as z from "zod";
import { labels } from "../families/labels.ts";
import { benchmark } from "../items/benchmark.ts";
import { optional, text } from "./fields.ts";

const RowSchema = z.object({
  id: optional,
  prompt: text,
  completion: text,
  label: z.boolean(),
  reference: z.union([text, z.array(text).min(1)]).nullish(),
  rubric: z.array(z.unknown()).min(1).nullish(),
  problem: optional,
  subset: optional,
  difficulty: optional,
  generator: optional,
});

export const labelled = benchmark({
  description: "texts labelled right or wrong: prompt, completion, label; optionally reference, rubric",
  spec: { signals: { good: { kind: "grade" } } },
  row: RowSchema,
  item: (row, place) => ({
    id: row.id ?? place,
    problem: row.problem ?? row.prompt,
    subset: row.subset ?? "all",
    difficulty: row.difficulty ?? null,
    generator: row.generator ?? null,
    group: {
      prompt: row.prompt,
      rollouts: [{ text: row.completion }],
      ...(row.reference != null && { reference: row.reference }),
      ...(row.rubric != null && { rubric: row.rubric }),
    },
    label: row.label,
  }),
  family: labels,
});
