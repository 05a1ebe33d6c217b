// The parser `word`: the whole answer is a label.
import { stripped } from "./answer-text.ts";
import { wholeLabel } from "./labels.ts";
import type { Parser } from "./parser.ts";
import { nothing, ok } from "./said.ts";

export interface WordSettings {
  kind: "word";
  labels: readonly string[];
}

export const word: Parser<WordSettings> = {
  kind: "word",
  told: ({ labels }) => labels,
  read({ labels }, { segment }) {
    const label = wholeLabel(segment, { labels });
    if (label != null) return ok({ label });
    return nothing(stripped(segment) === "" ? "no_box" : "bad_content");
  },
};
