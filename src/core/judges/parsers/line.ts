// The parser `line`: a key, bounded as a word, and what its line says behind it.

import * as z from "zod";
import { said } from "#said";
import { linesOf, stripped } from "./answer-text.ts";
import { KeySchema, LabelsSchema, RangeSchema, WordsSchema } from "./fields.ts";
import { type LabelWords, labelsIn, lettersOf } from "./labels.ts";
import { leadingNumbers, within } from "./number-text.ts";
import type { Parser } from "./parser.ts";
import { finalOf, type VerdictMatch } from "./parser-result.ts";

const SCHEMA = z
  .strictObject({
    kind: z.literal("line"),
    /** Such as `[RESULT]` or `Winner:`; case, and asterisks around it, do not count. */
    key: KeySchema,
    /** In brackets anywhere, others at a line's start. */
    also: z.array(KeySchema).min(1).max(4).meta(said("other spellings of the key, read where it stands nowhere")),
    labels: LabelsSchema,
    words: WordsSchema,
    /** Instead of labels: a number, lowest and highest. */
    range: RangeSchema,
    /** Whole numbers only. */
    whole: z.boolean(),
  })
  .partial()
  .required({ kind: true, key: true });
type GivenLine = z.output<typeof SCHEMA>;
/** Without a key, with a range: any separate whole number. */
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
      const each = (text: string) => [...text.matchAll(WHOLE)].map(([number]) => Number(number) + 0);
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

/** The matches behind a key, or where it stands nowhere behind its other spellings. */
function spelled(lines: readonly string[], key: string, also: readonly string[], read: ReadRest): VerdictMatch[] {
  const found = matchesOf(lines, key, read);
  if (found.length > 0) return found;
  const others = also.flatMap((anchor) =>
    matchesOf(anchor.startsWith("[") ? lines : lines.map(from(anchor)), anchor, read),
  );
  const last = Math.max(...others.map(({ line }) => line));
  return others.filter(({ line }) => line === last);
}

/** A line that begins with the key, else an empty one. */
const from = (key: string) => (line: string) =>
  line
    .replace(/^[\s#>*_-]{0,16}/, "")
    .slice(0, key.length)
    .toLowerCase() === key.toLowerCase()
    ? line
    : "";

/** Text allowed between a key and its label: marks, and the words before a letter. */
const BEFORE_LABEL = "[\\s*:_\"'`(\\[]*(?:(?:response|assistant|answer|option|candidate)[\\s*:_]+)?";

/** A scale's numbers where each is one digit, else null: of others one token does not tell. */
function digitsOf([low, high]: readonly [number, number]): string[] | null {
  if (!Number.isInteger(low) || low < 0 || !Number.isInteger(high) || high > 9) return null;
  return Array.from({ length: high - low + 1 }, (_, i) => `${low + i}`);
}

const WHOLE = /(?<![\p{L}\p{N}./]|[0-9],)[-\p{Pd}\u2212]?[0-9]{1,9}(?![\p{L}\p{N}%/]|[.,][0-9])/gu;
type ReadRest = (rest: string) => readonly VerdictMatch["value"][];

const WORD = /[\p{L}\p{N}_]/u;

/** The places behind a key in a line, at which something stands; none inside a word. */
function behind(text: string, key: string): string[] {
  const rests: string[] = [];
  const small = text.toLowerCase();
  // Lower case of some letters is longer: offsets would not be the text's own.
  if (small.length !== text.length) return rests;
  const bare = key.toLowerCase();
  for (let at = small.indexOf(bare); at >= 0; at = small.indexOf(bare, at + bare.length)) {
    const before = at === 0 ? "" : (text[at - 1] as string);
    if (WORD.test(bare[0] as string) && WORD.test(before)) continue;
    const rest = text.slice(at + bare.length, at + bare.length + REST_CHARS_MAX);
    if (stripped(rest) !== "") rests.push(rest);
  }
  return rests;
}

/**
 * Most places behind keys that are looked at in a line, the last ones, and characters behind one.
 */
const PLACES_MAX = 32;
const REST_CHARS_MAX = 256;

/** The matches of the last line that holds any: no other can decide. */
function matchesOf(lines: readonly string[], key: string, read: ReadRest): VerdictMatch[] {
  for (let at = lines.length - 1; at >= 0; at--) {
    const rests = behind(lines[at] as string, key).slice(-PLACES_MAX);
    const matches = rests.flatMap((rest) => read(rest).map((value) => ({ line: at, value })));
    if (matches.length > 0) return matches;
  }
  return [];
}

/** The labels in the rest of a line; something else there counts as no allowed value. */
function labelled(rest: string, accepted: LabelWords): VerdictMatch["value"][] {
  const found = labelsIn(rest, accepted);
  return found.length === 0 ? [null] : found.map((label) => (label === null ? null : { label }));
}

/** The labels behind a key, of the last line that has one. */
export const keyMatches = (lines: readonly string[], key: string, accepted: LabelWords): VerdictMatch[] =>
  matchesOf(lines, key, (rest) => labelled(rest, accepted));
