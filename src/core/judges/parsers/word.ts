// The parser `word`: the whole answer is a label.
import * as z from "zod";
import { stripped } from "./answer-text.ts";
import { LABELS_SCHEMA, wholeLabel } from "./labels.ts";
import type { Parser } from "./parser.ts";
import { nothing, ok } from "./said.ts";

const SCHEMA = z.strictObject({
  kind: z.literal("word"),
  labels: LABELS_SCHEMA,
});
type Settings = z.infer<typeof SCHEMA>;

export const word = {
  kind: "word",
  schema: SCHEMA,
  told: ({ labels }) => labels,
  read({ labels }, { segment }) {
    const label = wholeLabel(segment, { labels });
    if (label != null) return ok({ label });
    return nothing(stripped(segment) === "" ? "no_box" : "bad_content");
  },
} satisfies Parser<Settings>;
