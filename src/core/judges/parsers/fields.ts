// Pieces of the schemas of parser settings, where a deployment writes them.
import * as z from "zod";
import { distinct } from "../../contract/distinct.ts";
import { anyText, someOf, someText } from "../../faults/bounded.ts";

/** Lowest and highest of a scale. */
export const RangeSchema = z
  .tuple([z.number().min(-1e6).max(1e6), z.number().min(-1e6).max(1e6)])
  .refine(([low, high]) => low < high, "the first number must be the lower one");

export const LabelsSchema = distinct(someOf(someText("label_chars"), "labels_max"));

/** A key of an object, or in front of a value on its line. */
export const KeySchema = someText("name_chars").regex(/^[^\n\r]*$/, "must be one line");

/** An opening tag: it goes into a pattern as it is. */
export const OpeningSchema = z
  .string()
  .regex(/^<[A-Za-z][A-Za-z0-9_]{0,31}>$/, "must be an opening tag, such as <score>");

/** Words that stand for labels, in lower case. */
export const WordsSchema = z.record(anyText("label_chars"), anyText("label_chars"));
