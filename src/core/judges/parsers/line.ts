// The parser `line`: finds a key, matched as a whole word, and reads the value after it on the same line.

import * as z from "zod";
import { said } from "#said";
import { lazily } from "../../text/lazily.ts";
import { linesOf, stripped } from "./answer-text.ts";
import { KeySchema, LabelsSchema, RangeSchema, WordsSchema } from "./fields.ts";
import { type LabelWords, labelsIn, lettersOf } from "./labels.ts";
import { leadingNumbers, within } from "./number-text.ts";
import type { Parser } from "./parser.ts";
import { finalOf, type VerdictMatch } from "./parser-result.ts";

const SCHEMA = z
  .strictObject({
    kind: z.literal("line"),
    /** The key, such as `[RESULT]` or `Winner:`. Case and surrounding asterisks are ignored. */
    key: KeySchema,
    /** Spellings that begin with a bracket match anywhere, others only at the start of a line. */
    also: z
      .array(KeySchema)
      .min(1)
      .max(4)
      .meta(said("alternative spellings of the key, tried if the key is not found")),
    labels: LabelsSchema,
    words: WordsSchema,
    /** If set, reads a number from the lowest to the highest value instead of a label. */
    range: RangeSchema,
    /** Accepts only whole numbers. */
    whole: z.boolean(),
  })
  .partial()
  .required({ kind: true, key: true });
type GivenLine = z.output<typeof SCHEMA>;
/** The settings. With a range but no key, any whole number that stands by itself matches. */
export type LineSettings = Omit<GivenLine, "key"> & Partial<Pick<GivenLine, "key">>;

export const line: Parser<LineSettings> = {
  kind: "line",
  schema: SCHEMA,
  labelCount: ({ labels, range }) => (range !== undefined ? "one" : labels === undefined ? "several" : "either"),
  promptMarks: ({ key }) => (key === undefined ? [] : [key]),
  written: ({ key, also = [] }) => (key === undefined ? [] : [key, ...also]),
  anchor({ key, labels, range }, count) {
    if (key === undefined) return null;
    const allowed = range === undefined ? (labels ?? lettersOf(count)) : digitsOf(range);
    return allowed && { labels: allowed, behind: new RegExp(`${key.replace(/[^\w ]/g, "\\$&")}${BEFORE_LABEL}`, "gi") };
  },
  read({ key, also = [], labels, words, range, whole = false }, { segment, count }) {
    const lines = linesOf(segment);
    if (range !== undefined && key === undefined) {
      const each = (text: string) => [...text.matchAll(WHOLE())].map(([number]) => Number(number) + 0);
      const numbers = lines.flatMap((text, at) => each(text).map((value) => ({ line: at, value })));
      return finalOf(
        numbers.map(({ line, value }) => ({ line, value: within(value, range) ? { numbers: [value] } : null })),
        false,
      );
    }
    if (range !== undefined) {
      const numbers = (rest: string): VerdictMatch["value"][] =>
        leadingNumbers(rest, range).map((value) =>
          value === null || (whole && !Number.isInteger(value)) ? null : { numbers: [value] },
        );
      return finalOf(spelled(lines, key ?? "", also, numbers), false);
    }
    const accepted = { labels: labels ?? lettersOf(count), words };
    return finalOf(
      spelled(lines, key ?? "", also, (rest) => labelled(rest, accepted)),
      false,
    );
  },
};

/** Returns the matches of the key or, if there are none, of its other spellings. */
function spelled(lines: readonly string[], key: string, also: readonly string[], read: ReadRest): VerdictMatch[] {
  const found = matchesOf(lines, key, read);
  if (found.length > 0) return found;
  const others = also.flatMap((anchor) =>
    matchesOf(anchor.startsWith("[") ? lines : lines.map(from(anchor)), anchor, read),
  );
  const last = Math.max(...others.map(({ line }) => line));
  return others.filter(({ line }) => line === last);
}

/** Returns the line if it begins with the key, otherwise an empty string. */
const from = (key: string) => (line: string) =>
  line
    .replace(/^[\s#>*_-]{0,16}/, "")
    .slice(0, key.length)
    .toLowerCase() === key.toLowerCase()
    ? line
    : "";

/** Text allowed between a key and its label: punctuation, and words that may precede a letter. */
const BEFORE_LABEL = "[\\s*:_\"'`(\\[]*(?:(?:response|assistant|answer|option|candidate)[\\s*:_]+)?";

/**
 * The numbers of a scale if each is a single digit, otherwise null, because a longer number may be split into
 * several tokens.
 */
function digitsOf([low, high]: readonly [number, number]): string[] | null {
  if (!Number.isInteger(low) || low < 0 || !Number.isInteger(high) || high > 9) return null;
  return Array.from({ length: high - low + 1 }, (_, i) => `${low + i}`);
}

const WHOLE = lazily(() => /(?<![\p{L}\p{N}./]|[0-9],)[-\p{Pd}\u2212]?[0-9]{1,9}(?![\p{L}\p{N}%/]|[.,][0-9])/gu);
type ReadRest = (rest: string) => readonly VerdictMatch["value"][];

const WORD = lazily(() => /[\p{L}\p{N}_]/u);

/** The non-empty rests of a line after each occurrence of the key. Occurrences inside a word are ignored. */
function behind(text: string, key: string): string[] {
  const rests: string[] = [];
  const small = text.toLowerCase();
  // Some letters get longer in lower case, so offsets would not fit the original text.
  if (small.length !== text.length) return rests;
  const bare = key.toLowerCase();
  for (let at = small.indexOf(bare); at >= 0; at = small.indexOf(bare, at + bare.length)) {
    const before = at === 0 ? "" : (text[at - 1] as string);
    if (WORD().test(bare[0] as string) && WORD().test(before)) continue;
    const rest = text.slice(at + bare.length, at + bare.length + REST_CHARS_MAX);
    if (stripped(rest) !== "") rests.push(rest);
  }
  return rests;
}

/** Maximum occurrences of a key that are read per line (the last ones), and characters read after each. */
const PLACES_MAX = 32;
const REST_CHARS_MAX = 256;

/** Returns the matches on the last line that has any, because earlier lines cannot change the result. */
function matchesOf(lines: readonly string[], key: string, read: ReadRest): VerdictMatch[] {
  for (let at = lines.length - 1; at >= 0; at--) {
    const rests = behind(lines[at] as string, key).slice(-PLACES_MAX);
    const matches = rests.flatMap((rest) => read(rest).map((value) => ({ line: at, value })));
    if (matches.length > 0) return matches;
  }
  return [];
}

/** Reads the labels in the rest of a line. A rest without a label counts as a value that is not allowed. */
function labelled(rest: string, accepted: LabelWords): VerdictMatch["value"][] {
  const found = labelsIn(rest, accepted);
  return found.length === 0 ? [null] : found.map((label) => (label === null ? null : { label }));
}

/** Returns the labels after a key, from the last line that has any. */
export const keyMatches = (lines: readonly string[], key: string, accepted: LabelWords): VerdictMatch[] =>
  matchesOf(lines, key, (rest) => labelled(rest, accepted));
