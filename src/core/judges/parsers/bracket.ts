// The parser `bracket`: reads [[A]], [[A>B]], [[A>>B]], [[A=B]], or ratings such as [[7, 4]]. Comparisons may
// also be in single brackets.
import * as z from "zod";
import { LEADING_WORDS, linesOf, stripped } from "./answer-text.ts";
import { LabelsSchema, RangeSchema } from "./fields.ts";
import { type LabelWords, lettersOf, wholeLabel } from "./labels.ts";
import { numbersIn } from "./number-text.ts";
import type { Parser } from "./parser.ts";
import { finalOf, type Value, type VerdictMatch } from "./parser-result.ts";

const SCHEMA = z
  .strictObject({
    kind: z.literal("bracket"),
    /**
     * Labels; letters by default. Ignored with `strength`, which reads the comparisons A>>B, A>B, A=B, B>A,
     * B>>A.
     */
    labels: LabelsSchema,
    strength: z.boolean(),
    /** If set, reads a rating per candidate, from the lowest to the highest value, instead of labels. */
    range: RangeSchema,
  })
  .partial()
  .required({ kind: true });
export type BracketSettings = z.output<typeof SCHEMA>;

const BRACKETS = /\[\[([^[\]]{1,256})\]\]/g;
/** The form of Arena-Hard, which is read if nothing is in double brackets. */
const SINGLE = /\[([^[\]]{1,256})\]/g;
const COMPARISON = /^[AB<>=!]+$/;
const STRENGTHS: Readonly<Record<string, number>> = {
  "A>>B": 2,
  "A>B": 1,
  "A=B": 0,
  "B=A": 0,
  "A<B": -1,
  "B>A": -1,
  "A<<B": -2,
  "B>>A": -2,
  "B<A": 1,
  "B<<A": 2,
};

/** How ratings in brackets begin. */
const RATINGS = Array.from("-0123456789", (first) => `[[${first}`);
const COMPARISONS = Object.keys(STRENGTHS).flatMap((sign) => [`[[${sign}]]`, `[${sign}]`]);

export const bracket: Parser<BracketSettings> = {
  kind: "bracket",
  schema: SCHEMA,
  labelCount: ({ labels, strength, range }) => (strength || (labels ?? range) === undefined ? "several" : "either"),
  promptMarks: ({ strength, labels }) =>
    strength ? ["[[A>B]]"] : (labels ?? ["A"]).slice(0, 1).map((label) => `[[${label}]]`),
  written({ labels, strength, range }) {
    if (range !== undefined) return RATINGS;
    return strength ? COMPARISONS : inBrackets(labels ?? lettersOf(26));
  },
  anchor: ({ labels, strength, range }, count) =>
    strength || range !== undefined ? null : { labels: labels ?? lettersOf(count), behind: /\[\[/g },
  read(settings, { segment, count }) {
    const lines = linesOf(segment);
    const double = bracketsIn(lines, BRACKETS);
    const found = double.length > 0 || !settings.strength ? double : bracketsIn(lines, SINGLE).filter(compares);
    const matches = found.flatMap(({ line, content }): VerdictMatch[] => {
      const value = matchIn(content, settings, count);
      return value === undefined ? [] : [{ line, value }];
    });
    return finalOf(matches, found.length > 0);
  },
};

interface BracketMatch {
  line: number;
  content: string;
}

const bracketsIn = (lines: readonly string[], pattern: RegExp): BracketMatch[] =>
  lines.flatMap((text, line) =>
    text.includes("[") ? [...text.matchAll(pattern)].map(([, content]) => ({ line, content: content as string })) : [],
  );

const symbolsIn = (content: string): string => content.replace(/[\s*`]/g, "");
/** Whether the content is a comparison. A lone [A] or [1] is a citation and not a verdict. */
const compares = ({ content }: BracketMatch): boolean => /^[AB][<>=]+[AB]$/i.test(symbolsIn(content));

/**
 * Parses the content of a pair of brackets. Returns null for a verdict that is not allowed, and `undefined`
 * for anything that is not a verdict, such as a citation.
 */
function matchIn(
  content: string,
  { labels, strength, range }: BracketSettings,
  count: number,
): Value | null | undefined {
  if (range !== undefined) {
    if (!/[0-9]/.test(content)) return undefined;
    const numbers = numbersIn(content, count, range);
    return numbers === null ? null : { numbers };
  }
  const symbols = symbolsIn(content).toUpperCase();
  if (strength) {
    if (!COMPARISON.test(symbols)) return undefined;
    return Object.hasOwn(STRENGTHS, symbols) ? { strength: STRENGTHS[symbols] as number } : null;
  }
  const accepted: LabelWords = { labels: labels ?? lettersOf(count) };
  if (symbols.length > 1 && COMPARISON.test(symbols) && accepted.labels.some((label) => COMPARISON.test(label))) {
    return accepted.labels.includes(symbols) ? { label: symbols } : null;
  }
  const label = wholeLabel(stripped(content), accepted);
  return label == null ? label : { label };
}

/** All spellings of labels in brackets: the label by itself, and after a word that may precede a label. */
export const inBrackets = (labels: readonly string[]): string[] =>
  labels.flatMap((label) => ["", ...LEADING_WORDS].map((word) => `[[${word}${label}]]`));

/** Finds the labels in brackets, for parsers that look for them inside another construct. */
export const bracketLabels = (text: string, accepted: LabelWords): (string | null)[] =>
  bracketsIn([text], BRACKETS).flatMap(({ content }) => {
    const label = wholeLabel(content, accepted);
    return label === undefined ? [] : [label];
  });
