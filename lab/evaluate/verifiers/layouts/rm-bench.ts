// RM-Bench's rows (Liu et al. 2024, arXiv 2410.16184): a right answer and a wrong one, each in three styles.
import * as z from "zod";
import { promptOf } from "../../../templates/index.ts";
import { styles } from "../families/styles.ts";
import { benchmark } from "../items/benchmark.ts";
import { optional, text } from "./fields.ts";

const three = z.array(text).length(3, "must contain three answers: concise, detailed, detailed in Markdown");
const RowSchema = z.object({ id: optional, prompt: text, chosen: three, rejected: three, domain: text });

export const rmBench = benchmark({
  description: "RM-Bench: prompt, chosen and rejected in three styles, domain",
  spec: { signals: { score: { kind: "grade", judge: { prompt: promptOf("deepseek-grm-point") } } } },
  row: RowSchema,
  item: (row, place) => ({
    id: row.id ?? place,
    problem: row.prompt,
    subset: row.domain,
    difficulty: null,
    generator: null,
    group: { prompt: row.prompt, rollouts: [...row.chosen, ...row.rejected].map((answer) => ({ text: answer })) },
    label: null,
  }),
  family: styles,
});
