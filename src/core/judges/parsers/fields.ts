// Schemas that the settings of several parsers share.
import * as z from "zod";
import { distinct } from "../../contract/distinct.ts";
import { anyText, someOf, someText } from "../../faults/bounded.ts";

/** Lowest and highest value of a scale. */
export const RangeSchema = z
  .tuple([z.number().min(-1e6).max(1e6), z.number().min(-1e6).max(1e6)])
  .refine(([low, high]) => low < high, "the first number must be below the second");

export const LabelsSchema = distinct(someOf(someText("label_chars"), "labels_max"));

/** A key of a JSON object, or the text before a value on the same line. */
export const KeySchema = someText("name_chars").regex(/^[^\n\r]*$/, "must be a single line");

/** An opening tag. It becomes part of a regular expression without escaping. */
export const OpeningSchema = z
  .string()
  .regex(/^<[A-Za-z][A-Za-z0-9_]{0,31}>$/, "must be an opening tag, such as <score>");

/** Synonyms of labels, keyed by the word in lower case. */
export const WordsSchema = z.record(anyText("label_chars"), anyText("label_chars"));
