// The parser `boxed`: reads the last \boxed{B}, or \boxed{A, C} with `many`.
import * as z from "zod";
import { lazily } from "../../text/lazily.ts";
import { lineCounter, linesOf, unwrapped } from "./answer-text.ts";
import { nextBox } from "./boxes.ts";
import { KeySchema, LabelsSchema, WordsSchema } from "./fields.ts";
import { type LabelWords, labelsIn, lettersOf, wholeLabel } from "./labels.ts";
import { keyMatches } from "./line.ts";
import type { Anchor, Parser } from "./parser.ts";
import { finalOf, nothing, ok, type ParserResult, type VerdictMatch } from "./parser-result.ts";

const SCHEMA = z
  .strictObject({
    kind: z.literal("boxed"),
    labels: LabelsSchema,
    many: z.boolean(),
    /** Synonyms of labels, keyed by the word in lower case. */
    words: WordsSchema,
    /**
     * Fallback for answers without a box: the line with this key. With `bare`, also the whole answer, or
     * boxed{B} without the backslash.
     */
    key: KeySchema,
    bare: z.boolean(),
  })
  .partial()
  .required({ kind: true });
export type BoxedSettings = z.output<typeof SCHEMA>;

/** The anchor of labels that directly follow the opening brace of a box. */
export const boxAnchor = (labels: readonly string[]): Anchor => ({ labels, behind: /\\boxed\s*\{/g });

export const boxed: Parser<BoxedSettings> = {
  kind: "boxed",
  schema: SCHEMA,
  labelCount: ({ labels, many }) => (many || labels === undefined ? "several" : "either"),
  promptMarks: () => ["\\boxed{"],
  written: ({ key, bare }) => [...(bare ? ["boxed{"] : []), ...(key === undefined ? [] : [key])],
  anchor: ({ labels, many }, count) => (many ? null : boxAnchor(labels ?? lettersOf(count))),
  read({ labels, many = false, words, key, bare = false }, { segment, count }) {
    const accepted = { labels: labels ?? lettersOf(count), words };
    const lineAt = lineCounter(segment);
    const matches: VerdictMatch[] = [];
    let marked = false;
    for (let box = nextBox(segment, 0); box !== null; box = nextBox(segment, box.end + 1)) {
      marked = true;
      const content = segment.slice(box.start, box.end);
      const line = lineAt(box.start);
      if (many) {
        const value = severalIn(content, accepted);
        if (value !== undefined) matches.push({ line, value: value === null ? null : { labels: value } });
        continue;
      }
      const label = wholeLabel(content, accepted);
      if (label === undefined) continue;
      if (label !== null && words !== undefined && contradicts(segment, box.end + 1, label, accepted)) {
        return nothing("ambiguous");
      }
      matches.push({ line, value: label === null ? null : { label } });
    }
    if (matches.length > 0 || many) return finalOf(matches, marked);
    const plain = plainly(segment, accepted, key, bare);
    if (plain.status !== "no_box") return plain;
    return marked ? nothing("bad_content") : bare ? finalOf(bareBoxes(segment, accepted), false) : plain;
  },
};

const BARE_BOX = lazily(() => /(?<![\\\p{L}\p{N}])boxed\{([^{}]{1,256})\}/gu);

/** Finds boxes that lost their backslash. The code that is published with such judges reads them too. */
function bareBoxes(segment: string, accepted: LabelWords): VerdictMatch[] {
  const lineAt = lineCounter(segment);
  return [...segment.matchAll(BARE_BOX())].flatMap(({ 1: content, index }): VerdictMatch[] => {
    const label = wholeLabel(content as string, accepted);
    return label === undefined ? [] : [{ line: lineAt(index), value: label === null ? null : { label } }];
  });
}

/** Parses labels separated by commas, and sorts them. `none` means that no candidate is correct. */
function severalIn(content: string, accepted: LabelWords): string[] | null | undefined {
  const text = unwrapped(content);
  if (/^none$/i.test(text)) return [];
  const all = text.split(/[,;\s]+/).map((part) => wholeLabel(part, accepted));
  if (all.every((found) => found === undefined)) return undefined;
  return all.some((found) => found == null) ? null : [...new Set(all as string[])].sort();
}

/** Whether a word after a box, on the same line, names a different label than the box does. */
function contradicts(segment: string, from: number, label: string, accepted: LabelWords): boolean {
  const rest = segment.slice(from, from + 256).split(/[\r\n]/)[0] ?? "";
  return (
    /^\s*[-:\u2013\u2014(]/.test(rest) && labelsIn(rest, accepted).some((other) => other !== null && other !== label)
  );
}

function plainly(segment: string, accepted: LabelWords, key: string | undefined, bare: boolean): ParserResult {
  const keyed = key === undefined ? [] : keyMatches(linesOf(segment), key, accepted);
  if (keyed.length > 0) return finalOf(keyed, true);
  const label = bare ? wholeLabel(segment, accepted) : undefined;
  return label == null ? nothing("no_box") : ok({ label });
}
