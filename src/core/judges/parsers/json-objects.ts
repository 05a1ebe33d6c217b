// Finds JSON objects inside prose, and reports duplicate keys and NaN, which JSON.parse does not report.

import { lazily } from "../../text/lazily.ts";

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  fields: ReadonlyMap<string, Json>;
  /** Keys that occur twice with different values. */
  twice: ReadonlySet<string>;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Maximum nesting depth of a verdict. The limit also bounds how often each character is scanned, because only
 * an unclosed object within this depth can be scanned again.
 */
const DEPTH_MAX = 16;

class Malformed extends Error {}

const SPACES = " \t\r\n";
const STRING = lazily(() => /"[^"\\\p{Cc}]*(?:\\.[^"\\\p{Cc}]*)*"/uy);
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** JSON literals, and those that only Python writes. NaN and both infinities are read as NaN. */
const WORDS: Readonly<Record<string, Json>> = {
  NaN: Number.NaN,
  Infinity: Number.NaN,
  "-Infinity": Number.NaN,
  true: true,
  false: false,
  null: null,
};

class JsonReader {
  at: number;
  readonly #text: string;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.#text)) return null;
    const from = this.at;
    this.at = pattern.lastIndex;
    return this.#text.slice(from, this.at);
  }

  #take(text: string): boolean {
    while (SPACES.includes(this.#text[this.at] ?? "x")) this.at++;
    if (!this.#text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  value(depth: number): Json {
    if (depth > DEPTH_MAX) throw new Malformed();
    if (this.#take("{")) return this.#object(depth);
    if (this.#take("[")) return this.#list(depth);
    const text = this.#match(STRING());
    if (text !== null) return this.#string(text);
    const number = this.#match(NUMBER);
    if (number !== null) return Number(number);
    for (const [word, value] of Object.entries(WORDS)) if (this.#take(word)) return value;
    throw new Malformed();
  }

  #string(text: string): string {
    if (!text.includes("\\")) return text.slice(1, -1);
    try {
      return JSON.parse(text) as string;
    } catch {
      throw new Malformed();
    }
  }

  #object(depth: number): JsonObject {
    const fields = new Map<string, Json>();
    const twice = new Set<string>();
    if (this.#take("}")) return { fields, twice };
    do {
      this.#take("");
      const key = this.#match(STRING());
      if (key === null || !this.#take(":")) throw new Malformed();
      const name = this.#string(key);
      const value = this.value(depth + 1);
      if (fields.has(name) && text(fields.get(name) as Json) !== text(value)) twice.add(name);
      fields.set(name, value);
    } while (this.#take(","));
    if (!this.#take("}")) throw new Malformed();
    return { fields, twice };
  }

  #list(depth: number): Json[] {
    const items: Json[] = [];
    if (this.#take("]")) return items;
    do items.push(this.value(depth + 1));
    while (this.#take(","));
    if (!this.#take("]")) throw new Malformed();
    return items;
  }
}

const text = (value: Json): string =>
  JSON.stringify(value, (_, field) => (field instanceof Map ? [...field] : field instanceof Set ? [...field] : field));

/** Finds the outermost complete objects in a string, in order. Linear time. */
export function objectsIn(prose: string): JsonObject[] {
  const found: JsonObject[] = [];
  for (let at = prose.indexOf("{"); at >= 0; at = prose.indexOf("{", at)) {
    const reader = new JsonReader(prose, at);
    try {
      found.push(reader.value(0) as JsonObject);
      at = reader.at;
    } catch (fault) {
      if (!(fault instanceof Malformed)) throw fault;
      at++;
    }
  }
  return found;
}
