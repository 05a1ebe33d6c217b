// The parser `word`: the whole answer is a label.
import * as z from "zod";
import { stripped } from "./answer-text.ts";
import { LabelsSchema } from "./fields.ts";
import { lettersOf, wholeLabel } from "./labels.ts";
import type { Parser } from "./parser.ts";
import { nothing, ok } from "./parser-result.ts";

/** `labels` defaults to the letters of the candidates shown. */
const SCHEMA = z.strictObject({ kind: z.literal("word"), labels: LabelsSchema.optional() });
export type WordSettings = z.output<typeof SCHEMA>;

export const word: Parser<WordSettings> = {
  kind: "word",
  schema: SCHEMA,
  whole: () => true,
  labelCount: ({ labels }) => (labels === undefined ? "several" : "either"),
  promptMarks: ({ labels = [] }) => labels,
  anchor: ({ labels }, count) => ({ labels: labels ?? lettersOf(count) }),
  read({ labels }, { segment, count }) {
    const label = wholeLabel(segment, { labels: labels ?? lettersOf(count) });
    if (label != null) return ok({ label });
    return nothing(stripped(segment) === "" ? "no_box" : "bad_content");
  },
};
