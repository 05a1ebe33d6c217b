// The parser `boxed`: the last \boxed{B}, or \boxed{A, C} with `many`.
import * as z from "zod";
import { nextBox } from "../boxes.ts";
import { lineCounter, linesOf, unwrapped } from "./answer-text.ts";
import { KeySchema, LabelsSchema, WordsSchema } from "./fields.ts";
import { type Labels, labelsIn, lettersOf, wholeLabel } from "./labels.ts";
import { keyMatches } from "./line.ts";
import type { Anchor, Parser } from "./parser.ts";
import { finalOf, type Match, nothing, ok, type Said } from "./said.ts";

export interface BoxedSettings {
  kind: "boxed";
  labels?: readonly string[];
  many?: boolean;
  /** Words that mean a label, in lower case. */
  words?: Readonly<Record<string, string>>;
  /** Where no box is: the line with this key, or the whole answer, or boxed{B}, may say it. */
  key?: string;
  bare?: boolean;
}

/** Labels behind the brace of a box. */
export const boxAnchor = (labels: readonly string[]): Anchor => ({ labels, behind: /\\boxed\s*\{/g });

export const boxed: Parser<BoxedSettings> = {
  kind: "boxed",
  schema: z
    .strictObject({
      kind: z.literal("boxed"),
      labels: LabelsSchema,
      many: z.boolean(),
      words: WordsSchema,
      key: KeySchema,
      bare: z.boolean(),
    })
    .partial()
    .required({ kind: true }),
  tells: ({ labels, many }) => (many || labels === undefined ? "several" : "either"),
  told: () => ["\\boxed{"],
  written: ({ key, bare }) => [...(bare ? ["boxed{"] : []), ...(key === undefined ? [] : [key])],
  anchor: ({ labels, many }, count) => (many ? null : boxAnchor(labels ?? lettersOf(count))),
  read({ labels, many = false, words, key, bare = false }, { segment, count }) {
    const about = { labels: labels ?? lettersOf(count), words };
    const lineAt = lineCounter(segment);
    const matches: Match[] = [];
    let marked = false;
    for (let box = nextBox(segment, 0); box !== null; box = nextBox(segment, box.end + 1)) {
      marked = true;
      const content = segment.slice(box.start, box.end);
      const line = lineAt(box.start);
      if (many) {
        const value = severalIn(content, about);
        if (value !== undefined) matches.push({ line, value: value === null ? null : { labels: value } });
        continue;
      }
      const label = wholeLabel(content, about);
      if (label === undefined) continue;
      if (label !== null && words !== undefined && contradicts(segment, box.end + 1, label, about)) {
        return nothing("ambiguous");
      }
      matches.push({ line, value: label === null ? null : { label } });
    }
    if (matches.length > 0 || many) return finalOf(matches, marked);
    const plain = plainly(segment, about, key, bare);
    if (plain.status !== "no_box") return plain;
    return marked ? nothing("bad_content") : bare ? finalOf(bareBoxes(segment, about), false) : plain;
  },
};

const BARE_BOX = /(?<![\\\p{L}\p{N}])boxed\{([^{}]{1,256})\}/gu;

/** Boxes whose backslash was lost on the way, which the published code of such judges reads too. */
function bareBoxes(segment: string, about: Labels): Match[] {
  const lineAt = lineCounter(segment);
  return [...segment.matchAll(BARE_BOX)].flatMap(({ 1: content, index }): Match[] => {
    const label = wholeLabel(content as string, about);
    return label === undefined ? [] : [{ line: lineAt(index), value: label === null ? null : { label } }];
  });
}

/** Labels between commas, ascending; `none` says that none is right. */
function severalIn(content: string, about: Labels): string[] | null | undefined {
  const text = unwrapped(content);
  if (/^none$/i.test(text)) return [];
  const all = text.split(/[,;\s]+/).map((part) => wholeLabel(part, about));
  if (all.every((one) => one === undefined)) return undefined;
  return all.some((one) => one == null) ? null : [...new Set(all as string[])].sort();
}

/** Whether a word behind a box, on its line, means another label than the box. */
function contradicts(segment: string, from: number, label: string, about: Labels): boolean {
  const rest = segment.slice(from, from + 256).split(/[\r\n]/)[0] ?? "";
  return /^\s*[-:\u2013\u2014(]/.test(rest) && labelsIn(rest, about).some((one) => one !== null && one !== label);
}

function plainly(segment: string, about: Labels, key: string | undefined, bare: boolean): Said {
  const keyed = key === undefined ? [] : keyMatches(linesOf(segment), key, about);
  if (keyed.length > 0) return finalOf(keyed, true);
  const label = bare ? wholeLabel(segment, about) : undefined;
  return label == null ? nothing("no_box") : ok({ label });
}
