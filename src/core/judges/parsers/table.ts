// The table of parsers by kind. A new parser needs its own file and a line here.
import * as z from "zod";
import { type BoxedSettings, boxed } from "./boxed.ts";
import { type BracketSettings, bracket } from "./bracket.ts";
import { type JsonSettings, json } from "./json.ts";
import { type LineSettings, line } from "./line.ts";
import { type LogprobsSettings, logprobs } from "./logprobs.ts";
import { type NumbersSettings, numbers } from "./numbers.ts";
import type { Anchor, Parser, ParserInput } from "./parser.ts";
import type { ParserResult } from "./parser-result.ts";
import { type TagSettings, tag } from "./tag.ts";
import { type WordSettings, word } from "./word.ts";

const PARSERS = { boxed, numbers, bracket, tag, line, json, word, logprobs };

/** Settings of any parser, discriminated by `kind`. */
export type ParserSettings =
  | BoxedSettings
  | NumbersSettings
  | BracketSettings
  | TagSettings
  | LineSettings
  | JsonSettings
  | WordSettings
  | LogprobsSettings;

/** Schema for the settings of any parser, used to validate a deployment's templates. */
export const ParserSchema = z.discriminatedUnion(
  "kind",
  Object.values(PARSERS).map(({ schema }) => schema) as never,
) as unknown as z.ZodType<ParserSettings>;

const parserOf = ({ kind }: ParserSettings) => PARSERS[kind] as Parser<never> as Parser<ParserSettings>;

/** Parses the segment of an answer. Linear time. */
export const readBy = (settings: ParserSettings, input: ParserInput): ParserResult =>
  parserOf(settings).read(settings, input);

/** Whether an answer is about one candidate, about several, or either. */
export const labelCountOf = (settings: ParserSettings) => parserOf(settings).labelCount(settings);

/** Whether the parser needs the whole answer and not only its end. */
export const needsWhole = (settings: ParserSettings): boolean => parserOf(settings).whole?.(settings) ?? false;

/** Strings that a prompt must contain to tell the model the form that the parser reads. */
export const formsOf = (settings: ParserSettings): readonly string[] => parserOf(settings).promptMarks(settings);

/**
 * All strings that the parser reads as a verdict or the beginning of one. They are broken inside model text.
 */
export const writtenOf = (settings: ParserSettings): readonly string[] => {
  const parser = parserOf(settings);
  return [...parser.promptMarks(settings), ...(parser.written?.(settings) ?? [])];
};

/** Returns the anchor of an answer about `count` candidates; null if no single token decides the label. */
export const anchorOf = (settings: ParserSettings, count: number): Anchor | null =>
  parserOf(settings).anchor?.(settings, count) ?? null;
