// Owns showing a JSON schema as a foldable list of fields. Knows no route.
import { type Html, html, inline } from "./html.ts";

/** The part of JSON Schema 2020-12 that our document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema | boolean;
  prefixItems?: Schema[];
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: readonly unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export type Components = Record<string, Schema>;

const DEPTH_MAX = 8;

export const refName = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

function branches(schema: Schema): Schema[] | undefined {
  return schema.anyOf ?? schema.oneOf;
}

/** A short name for a schema's type: `integer`, `array of Rollout`, `string or null`. */
export function typeLabel(schema: Schema): string {
  if (schema.$ref !== undefined) return refName(schema.$ref);
  if (schema.allOf?.length === 1) return typeLabel(schema.allOf[0] as Schema);
  const several = branches(schema);
  if (several !== undefined) return [...new Set(several.map(typeLabel))].join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "array")
    return `array of ${typeof schema.items === "object" ? typeLabel(schema.items) : "anything"}`;
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  return schema.type ?? "anything";
}

function range(low: number | undefined, high: number | undefined, unit: string): string | null {
  const lower = low === undefined || low === Number.MIN_SAFE_INTEGER ? null : low;
  const upper = high === undefined || high === Number.MAX_SAFE_INTEGER ? null : high;
  const number = (value: number) => value.toLocaleString("en");
  if (lower !== null && upper !== null) return `${number(lower)} to ${number(upper)}${unit}`;
  if (upper !== null) return `at most ${number(upper)}${unit}`;
  return lower === null || (lower === 0 && unit !== "") ? null : `at least ${number(lower)}${unit}`;
}

function constraints(schema: Schema): string[] {
  const found = [
    range(schema.minimum, schema.maximum, ""),
    schema.exclusiveMinimum === undefined ? null : `above ${schema.exclusiveMinimum}`,
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " elements"),
    schema.default === undefined || typeof schema.default === "object"
      ? null
      : `default ${JSON.stringify(schema.default)}`,
  ];
  return found.filter((text) => text !== null);
}

/**
 * The schemas with fields of their own that a field leads to: its objects, its elements' objects,
 * its branches'.
 */
function nested(schema: Schema, components: Components): Schema[] {
  if (schema.$ref !== undefined) return nested(components[refName(schema.$ref)] ?? {}, components);
  if (schema.properties !== undefined) return [schema];
  const inner = [...(branches(schema) ?? []), ...(schema.allOf ?? [])];
  if (typeof schema.items === "object") inner.push(schema.items);
  if (typeof schema.additionalProperties === "object") inner.push(schema.additionalProperties);
  return inner.flatMap((child) => nested(child, components));
}

function field(name: string, schema: Schema, required: boolean, components: Components, depth: number): Html {
  const inside = depth >= DEPTH_MAX ? [] : nested(schema, components);
  const head = html`<code class="name">${name}</code> <span class="type">${typeLabel(schema)}</span>${
    required && html` <span class="required">required</span>`
  }`;
  const notes = constraints(schema);
  const about = html`${notes.length > 0 && html`<div class="note">${notes.join(" · ")}</div>`}${
    schema.pattern !== undefined && html`<div class="note">matches <code>${schema.pattern}</code></div>`
  }${schema.description !== undefined && html`<div class="about">${inline(schema.description)}</div>`}`;
  if (inside.length === 0) return html`<li>${head}${about}</li>`;
  const lists = inside.map((child) => fieldList(child, components, depth + 1));
  return html`<li><details><summary>${head}</summary>${about}${lists}</details></li>`;
}

function fieldList(schema: Schema, components: Components, depth: number): Html {
  const required = new Set(schema.required);
  const entries = Object.entries(schema.properties ?? {});
  return html`<ul class="fields">${entries.map(([name, child]) => field(name, child, required.has(name), components, depth))}</ul>`;
}

/** A schema's fields, or its type when it has none. */
export function schemaHtml(schema: Schema, components: Components): Html {
  const lists = nested(schema, components);
  if (lists.length === 0) return html`<p class="type">${typeLabel(schema)}</p>`;
  return html`${lists.map((list) => fieldList(list, components, 0))}`;
}
