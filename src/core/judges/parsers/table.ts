// The parsers by kind: a new one is one file and one line here.
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

/** The settings of any parser, told apart by `kind`. */
export type ParserSettings =
  | BoxedSettings
  | NumbersSettings
  | BracketSettings
  | TagSettings
  | LineSettings
  | JsonSettings
  | WordSettings
  | LogprobsSettings;

/** The settings of a parser as a deployment's own template gives them. */
export const ParserSchema = z.discriminatedUnion(
  "kind",
  Object.values(PARSERS).map(({ schema }) => schema) as never,
) as unknown as z.ZodType<ParserSettings>;

const parserOf = ({ kind }: ParserSettings) => PARSERS[kind] as Parser<never> as Parser<ParserSettings>;

/** Reads an answer's segment by a parser. Linear time. */
export const readBy = (settings: ParserSettings, input: ParserInput): ParserResult =>
  parserOf(settings).read(settings, input);

/** Whether an answer says something of one candidate, of several beside each other, or either. */
export const labelCountOf = (settings: ParserSettings) => parserOf(settings).labelCount(settings);

/** Whether what stands far before an answer's end may decide, too. */
export const needsWhole = (settings: ParserSettings): boolean => parserOf(settings).whole?.(settings) ?? false;

/** Texts that a prompt must hold to tell a model the form that its parser reads. */
export const formsOf = (settings: ParserSettings): readonly string[] => parserOf(settings).promptMarks(settings);

/** All that is, or begins, a verdict to its parser: broken inside model text. */
export const writtenOf = (settings: ParserSettings): readonly string[] => {
  const parser = parserOf(settings);
  return [...parser.promptMarks(settings), ...(parser.written?.(settings) ?? [])];
};

/** The place of the label in an answer about `count` candidates; null where no single token says it. */
export const anchorOf = (settings: ParserSettings, count: number): Anchor | null =>
  parserOf(settings).anchor?.(settings, count) ?? null;
