// Decides which texts of a template are marks: what a reader could take for the beginning or the end of a
// section, or for a verdict, if model text brought it.

import { type ParserSettings, writtenOf } from "../parsers/table.ts";
import { trailOf } from "./trail.ts";

/**
 * Where a mark counts. One that is spelled in capitals, wide or foreign letters always does, except for
 * `start`; the rule is for the same words in lower case, which honest texts hold as well.
 * - `anywhere`: it has no innocent use
 * - `line`: several words or one before a sign, such as `Options:`, where they begin a line
 * - `key`: such words that the parser looks for, also where text follows them on the line
 * - `alone`: a plain word, where the line holds nothing else
 * - `start`: two or three characters, only at a line's start and in any case
 * - `tag`: a tag's beginning, where attributes or its end follow
 */
export type MarkRule = "anywhere" | "line" | "key" | "alone" | "start" | "tag";

export interface Mark {
  text: string;
  rule: MarkRule;
}

/** Literal text of a template, and whether a slot stands right before it and right behind it. */
interface MarkPiece {
  text: string;
  opened: boolean;
  closed: boolean;
}

interface MarkLine extends MarkPiece {
  /** Whether no other line stands between it and a slot. */
  nearest: boolean;
}

/** The input of a guard. */
interface Marked {
  /** Text and slots in turn, as `split` gives them. */
  messages: readonly (readonly string[])[];
  /** Texts around one candidate and between two, likewise. */
  candidate: readonly (readonly string[])[];
  parser?: ParserSettings;
}

/** Shorter pieces, such as a lone bracket, delimit nothing by themselves. */
export const DELIMITER_CHARS_MIN = 4;
/** But one sign three times does: `"""`. */
const RUN_CHARS = 3;
/** Marks with at least one character more are not single characters. */
const START_CHARS_MIN = 2;
/** This many characters of a template's words in a row are not an accident, whatever their case. */
const WORDS_CHARS = 24;
/** And this many where they follow a slot on its line. */
const WORDS_BEHIND_SLOT_CHARS = 8;
/** Marks of one template: with more lines than that it keeps those nearest to its slots. */
const MARKS_MAX = 512;
/** A line up to here is a label, of which each part is a mark; a longer one is a sentence. */
const LABEL_CHARS = 40;

const WORDY = /[\p{L}\p{N}]/u;
const PROSE = /^[\p{L}\p{N}\p{M}\s_.,:;'!?]+$/u;
const SIGN = /[^\p{L}\p{N}\p{M}\s_]/u;
/** Several words, or one before a sign. */
const LABEL = /\S\s+\S|[^\p{L}\p{N}\p{M}_]$/u;
const ONE_SIGN = /^([^\p{L}\p{N}])\1+$/u;

/** Whether a line of a template delimits by itself, so that it is broken inside model text. */
export function delimits(line: string): boolean {
  const trail = trailOf(line);
  return trail.length >= DELIMITER_CHARS_MIN || (trail.length >= RUN_CHARS && ONE_SIGN.test(trail));
}

/** The rule of a piece of one line; null where it is not a mark. */
function ruleOf(line: string, behindSlot: boolean): MarkRule | null {
  const { length } = trailOf(line);
  if (!WORDY.test(line)) return delimits(line) ? "anywhere" : null;
  if (length < DELIMITER_CHARS_MIN) return length >= START_CHARS_MIN && SIGN.test(line) ? "start" : null;
  if (!PROSE.test(line) || length >= WORDS_CHARS) return "anywhere";
  if (behindSlot && length >= WORDS_BEHIND_SLOT_CHARS) return "anywhere";
  return LABEL.test(line) ? "line" : "alone";
}

/** A separator before the first of a label's characters is the last section's. */
const withoutSeparator = (line: string): string => {
  const core = line.replace(/^[\s,;.)}\]]+/, "");
  return trailOf(core).length >= DELIMITER_CHARS_MIN ? core : line;
};

/** The parts of a line of which each names a section by itself: `User:` and `### Question:`. */
function labelsIn(line: string, { opened, closed }: MarkPiece): string[] {
  const parts = line.split(/(?<=[:.!?])\s+/);
  if (parts.length === 1) return [];
  if (trailOf(line).length <= LABEL_CHARS) return parts;
  return parts.filter((_, i) => (opened && i === 0) || (closed && i === parts.length - 1));
}

const piecesOf = (parts: readonly string[]): MarkPiece[] =>
  parts.flatMap((text, i) => (i % 2 === 0 ? [{ text, opened: i > 0, closed: i < parts.length - 1 }] : []));

/** The lines of a piece, each with what stands right beside it. */
function linesOf({ text, opened, closed }: MarkPiece): MarkLine[] {
  const lines = text.split(/[\n\r]/).map((line) => line.trim());
  const [first, last] = [lines.findIndex((line) => line !== ""), lines.findLastIndex((line) => line !== "")];
  return lines.flatMap((line, i) =>
    line === ""
      ? []
      : {
          text: line,
          opened: opened && i === 0,
          closed: closed && i === lines.length - 1,
          nearest: (opened && i === first) || (closed && i === last),
        },
  );
}

const HEADING = /^#+(?=\s*[\p{L}\p{N}])/u;
const TAG = /^<\/?\s*\p{L}[\p{L}\p{N}\s_-]*(?=>$)/u;

/**
 * Other spellings that a reader takes for the same section: a heading of any depth, with or without
 * its colon, and a tag with attributes.
 */
function alikes({ text, rule }: Mark): Mark[] {
  const tag = TAG.exec(text)?.[0];
  if (tag !== undefined)
    return [
      { text, rule },
      { text: tag, rule: "tag" },
    ];
  if (!HEADING.test(text)) return [{ text, rule }];
  const heading = text.replace(HEADING, "#");
  const bare = heading.endsWith(":") ? heading.slice(0, -1).trimEnd() : heading;
  return [{ text: heading, rule }, ...(bare === heading ? [] : [{ text: bare, rule: "alone" as const }])];
}

function marksOfLine(line: MarkLine): Mark[] {
  const text = withoutSeparator(line.text);
  return [text, ...labelsIn(text, line)].flatMap((part) => {
    const rule = ruleOf(part, line.opened && text.startsWith(part));
    return rule === null ? [] : alikes({ text: part, rule });
  });
}

/** The marks of messages, those nearest to a slot first. */
function marksOfMessages(messages: readonly (readonly string[])[]): Mark[] {
  const lines = messages.filter(({ length }) => length > 1).flatMap((parts) => piecesOf(parts).flatMap(linesOf));
  // Without a slot a message has no section: only its sentences could be imitated.
  const others = messages.filter(({ length }) => length === 1).flatMap((parts) => piecesOf(parts).flatMap(linesOf));
  const sentences = others.filter(({ text }) => trailOf(text).length >= WORDS_CHARS);
  return [
    ...lines.filter(({ nearest }) => nearest).flatMap(marksOfLine),
    ...lines.filter(({ nearest }) => !nearest).flatMap(marksOfLine),
    ...sentences.map(({ text }) => ({ text, rule: "anywhere" as const })),
  ];
}

/** A candidate's own delimiters, which it must not write wherever it is. */
const marksOfCandidate = (parts: readonly string[]): Mark[] =>
  piecesOf(parts)
    .flatMap(linesOf)
    .flatMap(({ text }) => (delimits(text) ? alikes({ text, rule: "anywhere" }) : []));

/** Marks that a parser looks for: a key counts wherever the parser would read on. */
function marksOfForm(text: string, parser: ParserSettings): Mark[] {
  const rule = ruleOf(text, false);
  if (rule === null) return [];
  // Other spellings of a key are read at a line's start alone.
  const key = "key" in parser ? parser.key : undefined;
  const isKey = rule !== "anywhere" && (key === undefined ? rule === "line" : key === text);
  return alikes({ text, rule: isKey ? "key" : rule });
}

/**
 * Every mark of a template, each once: the lines of every literal piece around its slots, what
 * delimits its candidates, and the forms that its parser reads.
 */
export function marksOf({ messages, candidate, parser }: Marked): Mark[] {
  const all = [
    ...candidate.flatMap(marksOfCandidate),
    ...(parser === undefined ? [] : writtenOf(parser).flatMap((text) => marksOfForm(text, parser))),
    ...marksOfMessages(messages),
  ];
  const known = new Map(all.map((mark) => [`${mark.rule}\n${mark.text}`, mark]));
  return [...known.values()].slice(0, MARKS_MAX);
}
