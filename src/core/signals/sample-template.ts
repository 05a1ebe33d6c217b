// Owns texts with places for a dataset's row and a sample, as OpenAI's graders write them:
// {{item.answer}}, {{sample.output_text}}, {{sample.output_json.answer}}.

import * as z from "zod";
import { said } from "#said";
import { overfilled, SAMPLE_ROOM } from "../asking/fill-room.ts";
import { type Fact, type FactFields, factOf, type GroupFault } from "../asking/signal.ts";
import { AnyJsonSchema } from "../contract/any-json.ts";
import { anyText } from "../faults/bounded.ts";
import { ApiError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";

/** A place in a template: where its text comes from. */
interface Variable {
  of: "item" | "output_text" | "output_json";
  /** Names and indices below it. */
  path: readonly string[];
  /** As it is written. */
  name: string;
}

/** A template's own text, as strings, and its places. */
export type Template = readonly (string | Variable)[];

const PLACE = /\{\{([^{}]*)\}\}/;
const VARIABLE = /^(item|sample\.output_text|sample\.output_json)((?:\.[A-Za-z0-9_-]+|\[[0-9]{1,6}\])*)$/;

/** Variables that graders elsewhere have and a request here does not carry. */
const KNOWN = "item.<name>, sample.output_text, sample.output_json.<name>";

function variable(name: string): Variable | null {
  const [, root, below = ""] = VARIABLE.exec(name) ?? [];
  if (root === undefined || (root === "sample.output_text" && below !== "")) return null;
  const path = [...below.matchAll(/[A-Za-z0-9_-]+/g)].map(([part]) => part);
  return { of: root.replace("sample.", "") as Variable["of"], path, name };
}

/** The template of a text that the schema has accepted. */
export const templateOf = (text: string): Template =>
  text.split(PLACE).map((part, i) => (i % 2 === 0 ? part : (variable(part.trim()) as Variable)));

/** A template as a spec holds it: its text. */
export const TemplateSchema = anyText("slot_chars")
  .superRefine((text, context) => {
    const names = text.split(PLACE).filter((_, i) => i % 2 === 1);
    const unknown = names.find((name) => variable(name.trim()) === null);
    if (unknown === undefined) return;
    const message = `{{${unknown.slice(0, 64)}}} is no variable here; there are ${KNOWN}`;
    context.addIssue({ code: "custom", message });
  })
  .meta(said(`a text with places in double braces: ${KNOWN}`));

/** The dataset's row, which templates name as `item`. */
export const ITEM_FIELDS: FactFields = {
  group: {
    item: z.record(z.string(), AnyJsonSchema).meta(said("the dataset's row, for templates that name `item`")),
  },
};

export const itemFact = (texts: readonly string[]): readonly Fact[] =>
  texts.flatMap(templateOf).some((part) => typeof part !== "string" && part.of === "item") ? ["group.item"] : [];

/** The first field of the row that the templates name and a group's item has not. */
export function itemFault(texts: readonly string[], group: object): GroupFault | null {
  const item = factOf<Record<string, unknown>>(group, "item");
  const named = texts.flatMap(templateOf).filter((part) => typeof part !== "string" && part.of === "item");
  const lacking = (named as Variable[]).find(({ path }) => valueAt(item, path) == null);
  return lacking === undefined ? null : { path: lacking.name, message: ITEM_NEEDED, missing: true };
}

const ITEM_PLACE = /\{\{\s*item(?:\.([A-Za-z0-9_-]+))?/g;

/**
 * The row's fields that templates anywhere in these settings name; null where one names the row
 * itself.
 */
export function itemNames(settings: readonly unknown[]): ReadonlySet<string> | null {
  const named = [...JSON.stringify(settings).matchAll(ITEM_PLACE)].map(([, name]) => name);
  return named.includes(undefined) ? null : new Set(named as string[]);
}

const ITEM_NEEDED = "required because a template of the spec names it";

/** What a template is filled from. */
export interface Filling {
  item: Readonly<Record<string, unknown>> | undefined;
  /** The group's place in the request, for refusals. */
  index: number;
  /** The sample's text. */
  text: string;
  /** The sample as JSON, read once however many places name it; undefined where it is none. */
  json(): unknown;
}

export function fillingOf(group: object, index: number, text: string): Filling {
  let read: { value: unknown } | null = null;
  const json = () => {
    read ??= { value: parsed(text) };
    return read.value;
  };
  return { item: factOf<Record<string, unknown>>(group, "item"), index, text, json };
}

/** Whether a template is the same for every sample of a group. */
export const isOfGroup = (template: Template): boolean =>
  template.every((part) => typeof part === "string" || part.of === "item");

/** As of `isOfGroup` but for the sample's whole text, which stands in it as a place. */
export const isOfGroupButText = (template: Template): boolean =>
  template.every((part) => typeof part === "string" || part.of !== "output_json");

/**
 * Own text as it is, what came of the row or the sample as `data`; `shown` stands for the sample's
 * whole text.
 */
type FilledTemplate = string | { data: string } | { shown: 0 };

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

const written = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The sample as JSON; undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why a sample fills no template: by its own text alone. */
export type Unfilled = "sample_not_json" | "sample_too_long";

/** Chars that templates were filled with. */
export interface FilledChars {
  /** Of their own words and the row. */
  row: number;
  /** The sample's text. */
  text: number;
  /** Values of the sample's JSON. */
  json: number;
}

export const noChars = (): FilledChars => ({ row: 0, text: 0, json: 0 });

const KINDS = { item: "row", output_text: "text", output_json: "json" } as const;

/**
 * A template's parts in order; `sample_not_json` where the sample is no JSON or has no such field,
 * `sample_too_long` where it fills the template beyond filled_chars, or its values come to more than
 * its text and SAMPLE_ROOM. A row without the field, or
 * with null there, is the request's fault; a value that is no text is written as JSON.
 * @param chars what stands in the same question already; this template's are added
 * @param weight work of a char, 1 where it is looked at a few times
 * @throws ApiError `facts_required`, naming the row's field; `invalid_request` where the row alone
 *   goes beyond filled_chars
 */
export function fill(
  template: Template,
  filling: Filling,
  chars: FilledChars = noChars(),
  weight = 1,
): FilledTemplate[] | Unfilled {
  const parts: FilledTemplate[] = [];
  for (const part of template) {
    const filled = typeof part === "string" ? part : partOf(part, filling);
    if (filled === null) return "sample_not_json";
    chars[typeof part === "string" ? "row" : KINDS[part.of]] += charsOf(filled, filling.text);
    if (chars.row > LIMITS.filled_chars) {
      throw overfilled("a template holds more than its values", "filled_chars", filling.index);
    }
    if (chars.row + chars.text + chars.json > LIMITS.filled_chars) return "sample_too_long";
    if (weight * (chars.json - filling.text.length) > SAMPLE_ROOM) return "sample_too_long";
    parts.push(filled);
  }
  return parts;
}

/** A template's own words, as most have a few: not counted. */
const FREE_CHARS = 256;

const isData = (part: FilledTemplate): part is { data: string } => typeof part === "object" && "data" in part;

function charsOf(filled: FilledTemplate, text: string): number {
  if (typeof filled === "string") return filled.length;
  return isData(filled) ? filled.data.length : text.length;
}

function partOf({ of, path, name }: Variable, { item, index, json }: Filling): FilledTemplate | null {
  if (of === "output_text") return { shown: 0 };
  if (of === "output_json") {
    const value = valueAt(json(), path);
    return value === undefined || value === null ? null : { data: written(value) };
  }
  // Where nothing but a spec's cost is asked there is no row.
  if (item === undefined) return { data: "" };
  const value = valueAt(item, path);
  if (value !== undefined && value !== null) return { data: written(value) };
  const field = `groups[${index}].${name}`;
  throw new ApiError("facts_required", `${field}: ${ITEM_NEEDED}.`, {
    errors: [{ path: field, message: ITEM_NEEDED }],
  });
}

const joined = (parts: readonly FilledTemplate[], text: string): string =>
  parts.map((part) => (typeof part === "string" ? part : isData(part) ? part.data : text)).join("");

/** A filled template, and by how many chars the row filled it beyond what was sent of it. */
interface FilledText {
  text: string;
  row: number;
}

/**
 * A template's text over one sample, or why there is none. Throws as `fill` does.
 * @param weight work of a char, 1 where it is looked at a few times
 */
export function filledText(template: Template, filling: Filling, weight: number): FilledText | Unfilled {
  const chars = noChars();
  const parts = fill(template, filling, chars, weight);
  if (typeof parts === "string") return parts;
  // What a template of the group shows of the row came with the group.
  const sent = isOfGroup(template) ? new Set(parts.flatMap((part) => (isData(part) ? [part.data] : []))) : [];
  const free = [...sent].reduce((sum, text) => sum + text.length, FREE_CHARS);
  if (weight * (chars.text + chars.json - filling.text.length) > SAMPLE_ROOM) return "sample_too_long";
  return { text: joined(parts, filling.text), row: Math.max(0, chars.row - free) };
}

/** A template's text without what the sample fills in. */
export function textOfRow(template: Template, filling: Filling): string {
  const parts = fill(
    template.filter((part) => isOfGroup([part])),
    filling,
  );
  return typeof parts === "string" ? "" : joined(parts, "");
}
