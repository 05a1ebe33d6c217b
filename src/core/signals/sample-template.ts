// Owns texts with places for a dataset's row and a sample, as OpenAI's graders write them:
// {{item.answer}}, {{sample.output_text}}, {{sample.output_json.answer}}.
import * as z from "zod";
import { AnyJsonSchema } from "../contract/any-json.ts";
import { ApiError } from "../faults/errors.ts";
import { bound, theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { type Fact, type FactFields, factOf, type GroupFault } from "./signal.ts";

/** A place in a template: where its text comes from. */
export interface Variable {
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
export const TemplateSchema = z
  .string()
  .max(...bound("slot_chars"))
  .superRefine((text, context) => {
    const names = text.split(PLACE).filter((_, i) => i % 2 === 1);
    const unknown = names.find((name) => variable(name.trim()) === null);
    if (unknown === undefined) return;
    const message = `{{${unknown.slice(0, 64)}}} is no variable here; there are ${KNOWN}`;
    context.addIssue({ code: "custom", message });
  })
  .meta({ description: `a text with places in double braces: ${KNOWN}` });

/** The dataset's row, which templates name as `item`. */
export const ITEM_FIELDS: FactFields = {
  group: {
    item: z
      .record(z.string(), AnyJsonSchema)
      .meta({ description: "the dataset's row, for templates that name `item`" }),
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
}

/**
 * Own text as it is, what came of the row or the sample as `data`; `shown` stands for the sample's
 * whole text.
 */
export type Filled = string | { data: string } | { shown: 0 };

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

/**
 * A template's parts in order; null where the sample is no JSON or has no such field. A row without
 * the field, or with null there, is the request's fault; a value that is no text is written as
 * JSON.
 * @throws ApiError `facts_required`, naming the row's field; `invalid_request` beyond filled_chars
 */
export function fill(template: Template, { item, index, text }: Filling): Filled[] | null {
  const parts: Filled[] = [];
  let chars = 0;
  for (const part of template) {
    const filled = typeof part === "string" ? part : partOf(part, { item, index, text });
    if (filled === null) return null;
    chars += charsOf(filled, text);
    if (chars > LIMITS.filled_chars) {
      const path = `groups[${index}].item`;
      const message = `a template holds more than its values may fill it to; ${theLimit("filled_chars")}`;
      throw new ApiError("invalid_request", `${path}: ${message}.`, { errors: [{ path, message }] });
    }
    parts.push(filled);
  }
  return parts;
}

function charsOf(filled: Filled, text: string): number {
  if (typeof filled === "string") return filled.length;
  return "data" in filled ? filled.data.length : text.length;
}

function partOf({ of, path, name }: Variable, { item, index, text }: Filling): Filled | null {
  if (of === "output_text") return { shown: 0 };
  if (of === "output_json") {
    const value = valueAt(parsed(text), path);
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

/** A template's text over one sample, or null as of `fill`. Throws as `fill` does. */
export function filledText(template: Template, filling: Filling): string | null {
  const parts = fill(template, filling);
  if (parts === null) return null;
  return parts.map((part) => (typeof part === "string" ? part : "data" in part ? part.data : filling.text)).join("");
}
