// Finds the marks of a template: pieces of its text that a reader could take for the beginning or end of a
// section, or for a verdict, if model text contained them.

import { lazily } from "../../text/lazily.ts";
import { type ParserSettings, writtenOf } from "../parsers/table.ts";
import { trailOf } from "./trail.ts";

/**
 * Where a mark counts in model text. An occurrence with capitals, full-width or non-Latin letters counts
 * everywhere (under `alone`, as a whole word), except under `start` and `tag`. The rule applies to the same
 * words in lower case, which ordinary text also contains.
 * - `anywhere`: the mark has no innocent use
 * - `line`: several words, or a word before a sign such as `Options:`, at the start of a line
 * - `key`: like `line`, for words that the parser looks for; also counts if more text follows on the line
 * - `alone`: a plain word, if nothing else is on the line
 * - `start`: two or three characters, only at the start of a line, in any case
 * - `tag`: the beginning of a tag, if attributes or the end of the tag follow
 */
export type MarkRule = "anywhere" | "line" | "key" | "alone" | "start" | "tag";

export interface Mark {
  text: string;
  rule: MarkRule;
}

/** Literal text of a template, and whether a slot comes directly before and directly after it. */
interface MarkPiece {
  text: string;
  opened: boolean;
  closed: boolean;
}

interface MarkLine extends MarkPiece {
  /** Whether the line is next to a slot, ignoring empty lines. */
  nearest: boolean;
}

/** The parts of a template that are searched for marks. */
interface Marked {
  /** Each message as alternating texts and slot names. */
  messages: readonly (readonly string[])[];
  /**
   * The template of one candidate and the text between two candidates, each as alternating texts and slot
   * names.
   */
  candidate: readonly (readonly string[])[];
  parser?: ParserSettings;
}

/** Minimum length of a delimiter. A shorter piece, such as a single bracket, is not a delimiter by itself. */
export const DELIMITER_CHARS_MIN = 4;
/** Minimum length of a delimiter that repeats a single sign, such as `"""`. */
const RUN_CHARS = 3;
/** Minimum length of a mark with the rule `start`. */
const START_CHARS_MIN = 2;
/** Number of consecutive characters from a template's sentences that cannot be a coincidence, in any case. */
const WORDS_CHARS = 24;
/** Number of characters on the same line after a slot that cannot be a coincidence. */
const WORDS_BEHIND_SLOT_CHARS = 8;
/** Maximum number of marks per template. If there are more, the lines nearest to slots are kept. */
const MARKS_MAX = 512;
/**
 * Maximum length of a line that is treated as labels, with each part as a mark; a longer line is a sentence.
 */
const LABEL_CHARS = 40;

const WORDY = lazily(() => /[\p{L}\p{N}]/u);
const PROSE = lazily(() => /^[\p{L}\p{N}\p{M}\s_.,:;'!?]+$/u);
const SIGN = lazily(() => /[^\p{L}\p{N}\p{M}\s_]/u);
/** Matches several words, or a word before a sign. */
const LABEL = lazily(() => /\S\s+\S|[^\p{L}\p{N}\p{M}_]$/u);
const ONE_SIGN = lazily(() => /^([^\p{L}\p{N}])\1+$/u);

/** Whether a line of a template is a delimiter by itself, so that the same line is broken in model text. */
export function delimits(line: string): boolean {
  const trail = trailOf(line);
  return trail.length >= DELIMITER_CHARS_MIN || (trail.length >= RUN_CHARS && ONE_SIGN().test(trail));
}

/** Returns the rule for a piece that is a single line, or null if the piece is not a mark. */
function ruleOf(line: string, behindSlot: boolean): MarkRule | null {
  const { length } = trailOf(line);
  if (!WORDY().test(line)) return delimits(line) ? "anywhere" : null;
  if (length < DELIMITER_CHARS_MIN) return length >= START_CHARS_MIN && SIGN().test(line) ? "start" : null;
  if (!PROSE().test(line) || length >= WORDS_CHARS) return "anywhere";
  if (behindSlot && length >= WORDS_BEHIND_SLOT_CHARS) return "anywhere";
  return LABEL().test(line) ? "line" : "alone";
}

/** Removes a separator in front of a label, because the separator belongs to the previous section. */
const withoutSeparator = (line: string): string => {
  const core = line.replace(/^[\s,;.)}\]]+/, "");
  return trailOf(core).length >= DELIMITER_CHARS_MIN ? core : line;
};

/** Splits a line into parts that each name a section, such as `User:` and `### Question:`. */
function labelsIn(line: string, { opened, closed }: MarkPiece): string[] {
  const parts = line.split(/(?<=[:.!?])\s+/);
  if (parts.length === 1) return [];
  if (trailOf(line).length <= LABEL_CHARS) return parts;
  return parts.filter((_, i) => (opened && i === 0) || (closed && i === parts.length - 1));
}

const piecesOf = (parts: readonly string[]): MarkPiece[] =>
  parts.flatMap((text, i) => (i % 2 === 0 ? [{ text, opened: i > 0, closed: i < parts.length - 1 }] : []));

/** Splits a piece into lines, and records which lines are next to a slot. */
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

const HEADING = lazily(() => /^#+(?=\s*[\p{L}\p{N}])/u);
const TAG = lazily(() => /^<\/?\s*\p{L}[\p{L}\p{N}\s_-]*(?=>$)/u);

/**
 * Returns the mark and other spellings that a reader takes for the same section: a heading of any depth, with
 * or without a colon, or a tag with attributes.
 */
function alikes({ text, rule }: Mark): Mark[] {
  const tag = TAG().exec(text)?.[0];
  if (tag !== undefined)
    return [
      { text, rule },
      { text: tag, rule: "tag" },
    ];
  if (!HEADING().test(text)) return [{ text, rule }];
  const heading = text.replace(HEADING(), "#");
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

/** Returns the marks of the messages, starting with those nearest to a slot. */
function marksOfMessages(messages: readonly (readonly string[])[]): Mark[] {
  const lines = messages.filter(({ length }) => length > 1).flatMap((parts) => piecesOf(parts).flatMap(linesOf));
  // A message without a slot contains no section, so only its sentences could be imitated.
  const others = messages.filter(({ length }) => length === 1).flatMap((parts) => piecesOf(parts).flatMap(linesOf));
  const sentences = others.filter(({ text }) => trailOf(text).length >= WORDS_CHARS);
  return [
    ...lines.filter(({ nearest }) => nearest).flatMap(marksOfLine),
    ...lines.filter(({ nearest }) => !nearest).flatMap(marksOfLine),
    ...sentences.map(({ text }) => ({ text, rule: "anywhere" as const })),
  ];
}

/** Returns the delimiters of a candidate, which must not appear anywhere inside a candidate. */
const marksOfCandidate = (parts: readonly string[]): Mark[] =>
  piecesOf(parts)
    .flatMap(linesOf)
    .flatMap(({ text }) => (delimits(text) ? alikes({ text, rule: "anywhere" }) : []));

/**
 * Returns the marks for one form that a parser looks for. A key counts wherever the parser would read a value
 * after it.
 */
function marksOfForm(text: string, parser: ParserSettings): Mark[] {
  const rule = ruleOf(text, false);
  if (rule === null) return [];
  // The parser reads other spellings of a key only at the start of a line.
  const key = "key" in parser ? parser.key : undefined;
  const isKey = rule !== "anywhere" && (key === undefined ? rule === "line" : key === text);
  return alikes({ text, rule: isKey ? "key" : rule });
}

/**
 * Returns all marks of a template, without duplicates: the lines of literal text around its slots, the
 * delimiters of its candidates, and the forms that its parser reads.
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
