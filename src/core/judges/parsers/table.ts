// The parsers by kind: a new one is one file and one line here.
import * as z from "zod";
import { boxed } from "./boxed.ts";
import { bracket } from "./bracket.ts";
import { json } from "./json.ts";
import { line } from "./line.ts";
import { logprobs } from "./logprobs.ts";
import { numbers } from "./numbers.ts";
import type { Parser, ParserInput } from "./parser.ts";
import type { Said } from "./said.ts";
import { tag } from "./tag.ts";
import { word } from "./word.ts";

const PARSERS = { boxed, numbers, bracket, tag, line, json, word, logprobs };

/** The settings of any parser, told apart by `kind`. */
export const ParserSchema = z.discriminatedUnion("kind", [
  boxed.schema,
  numbers.schema,
  bracket.schema,
  tag.schema,
  line.schema,
  json.schema,
  word.schema,
  logprobs.schema,
]);
export type ParserSettings = z.infer<typeof ParserSchema>;

const parserOf = ({ kind }: ParserSettings) => PARSERS[kind] as Parser<ParserSettings>;

/** Reads an answer's segment by a parser. Linear time. */
export const readBy = (settings: ParserSettings, input: ParserInput): Said => parserOf(settings).read(settings, input);

/** Texts that a prompt must hold to tell a model the form that its parser reads. */
export const formsOf = (settings: ParserSettings): readonly string[] => parserOf(settings).told(settings);
