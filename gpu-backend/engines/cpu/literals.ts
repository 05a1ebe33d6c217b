// Literal values of Python, JSON and JavaScript: parsing, writing in Python or JavaScript, and comparison.
import { sameNumber as sameDecimal, TOLERANCE } from "../../../src/core/text/decimal-tokens.ts";

/** A language-independent value. Numbers keep their text, so that no digit of a large integer is lost. */
export type Value =
  | null
  | boolean
  | string
  | { number: string }
  | { list: Value[] }
  | { tuple: Value[] }
  | { set: Value[] }
  | { dict: [Value, Value][] };

const DEPTH_MAX = 64;
const WORDS: Record<string, Value> = {
  None: null,
  null: null,
  undefined: null,
  True: true,
  true: true,
  False: false,
  false: false,
};
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", "0": "\0", "\n": "" };

/** Parses a string that is exactly one literal; otherwise returns undefined. */
export function parseLiteral(text: string): Value | undefined {
  const values = parseLiterals(text);
  return values?.length === 1 ? values[0] : undefined;
}

/**
 * Parses literals separated by commas, as in an argument list. Returns undefined if the string contains
 * anything else.
 */
export function parseLiterals(text: string): Value[] | undefined {
  if (text.trim() === "") return [];
  try {
    const reader = new Reader(text);
    const values = reader.items("", 0).map(([value]) => value);
    return reader.atEnd() ? values : undefined;
  } catch {
    return undefined;
  }
}

class NotALiteral extends Error {}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#skipSpace();
    return this.#at === this.#text.length;
  }

  /**
   * Parses items up to `close` (or the end of the input, for ""), each with the value after its colon, if
   * any.
   */
  items(close: string, depth: number): [Value, Value | undefined][] {
    if (depth > DEPTH_MAX) throw new NotALiteral();
    const items: [Value, Value | undefined][] = [];
    for (;;) {
      if (close === "" ? this.atEnd() : this.#take(close)) return items;
      if (items.length > 0 && !this.#take(",")) throw new NotALiteral();
      if (close !== "" && items.length > 0 && this.#take(close)) return items;
      const key = this.#value(depth);
      items.push([key, this.#take(":") ? this.#value(depth) : undefined]);
    }
  }

  #value(depth: number): Value {
    this.#skipSpace();
    const first = this.#text[this.#at] ?? "";
    if (first === "'" || first === '"') return this.#string(first);
    if (this.#take("[")) return { list: plain(this.items("]", depth + 1)) };
    if (this.#take("{")) return braces(this.items("}", depth + 1));
    if (this.#take("(")) return this.#parenthesised(depth);
    const number = this.#match(/[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?n?(?![\w.])/y);
    if (number !== null) return { number: number.replace(/^\+|[_n]/g, "") };
    const word = this.#match(/[A-Za-z_$][\w$]*/y) ?? "";
    if (Object.hasOwn(WORDS, word)) return WORDS[word] as Value;
    if (word === "set" && this.#match(/\(\s*\)/y) !== null) return { set: [] };
    // Unquoted JavaScript keys: a word directly before a colon.
    if (word !== "" && /^\s*:/.test(this.#text.slice(this.#at, this.#at + 8))) return word;
    throw new NotALiteral();
  }

  #parenthesised(depth: number): Value {
    const start = this.#at;
    const values = plain(this.items(")", depth + 1));
    const single = values.length === 1 && !/,\s*\)$/.test(this.#text.slice(start, this.#at));
    return single ? (values[0] as Value) : { tuple: values };
  }

  #string(quote: string): string {
    let text = "";
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at] as string;
      if (char === quote) {
        this.#at++;
        return text;
      }
      if (char !== "\\") text += char;
      else text += this.#escape();
    }
    throw new NotALiteral();
  }

  #escape(): string {
    const char = this.#text[++this.#at] ?? "";
    const digits = { x: 2, u: 4 }[char];
    if (digits === undefined) return ESCAPES[char] ?? char;
    const code = this.#text.slice(this.#at + 1, this.#at + 1 + digits);
    if (!/^[0-9a-fA-F]+$/.test(code) || code.length !== digits) throw new NotALiteral();
    this.#at += digits;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #take(token: string): boolean {
    this.#skipSpace();
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }
}

function plain(items: [Value, Value | undefined][]): Value[] {
  if (items.some(([, after]) => after !== undefined)) throw new NotALiteral();
  return items.map(([value]) => value);
}

function braces(items: [Value, Value | undefined][]): Value {
  const pairs = items.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as [Value, Value]]));
  if (pairs.length === items.length) return { dict: pairs };
  return { set: plain(items) };
}

/** Writes a value as source code. */
export function writeLiteral(value: Value, language: "python" | "javascript"): string {
  const inner = (items: Value[]) => items.map((v) => writeLiteral(v, language)).join(", ");
  const python = language === "python";
  if (value === null) return python ? "None" : "null";
  if (typeof value === "boolean") return python ? (value ? "True" : "False") : String(value);
  if (typeof value === "string")
    return JSON.stringify(value).replace(/\u2028|\u2029/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
  if ("number" in value) return value.number;
  if ("list" in value) return `[${inner(value.list)}]`;
  if ("tuple" in value)
    return python ? `(${inner(value.tuple)}${value.tuple.length === 1 ? "," : ""})` : `[${inner(value.tuple)}]`;
  if ("set" in value) return python ? `set([${inner(value.set)}])` : `new Set([${inner(value.set)}])`;
  const pairs = value.dict.map(([k, v]) => [writeLiteral(k, language), writeLiteral(v, language)]);
  if (python) return `{${pairs.map(([k, v]) => `${k}: ${v}`).join(", ")}}`;
  return `{${pairs.map(([k, v]) => `[${k}]: ${v}`).join(", ")}}`;
}

/** How strictly two values must match. */
export interface Comparison {
  /** Tuples differ from lists, and numbers must match exactly. */
  strict: boolean;
  /** Integers, fractions and booleans differ even if they are equal numbers. */
  types?: boolean;
}

/**
 * Whether a computed value equals the expected value. The order of dictionary keys and set items is ignored.
 */
export function sameValue(expected: Value, actual: Value, how: Comparison): boolean {
  const each = (a: Value[], b: Value[]) =>
    a.length === b.length && a.every((item, i) => sameValue(item, b[i] as Value, how));
  if (typeof expected !== "object" || typeof actual !== "object" || expected === null || actual === null) {
    return expected === actual || sameNumber(expected, actual, how);
  }
  if ("number" in expected) return sameNumber(expected, actual, how);
  if ("dict" in expected) {
    if (!("dict" in actual) || expected.dict.length !== actual.dict.length) return false;
    return expected.dict.every(([key, value]) =>
      actual.dict.some(([k, v]) => sameKey(key, k, how) && sameValue(value, v, how)),
    );
  }
  if ("set" in expected) {
    if (!("set" in actual) || expected.set.length !== actual.set.length) return false;
    return expected.set.every((item) => actual.set.some((other) => sameValue(item, other, how)));
  }
  const sequence = (v: object) => ("list" in v ? (v.list as Value[]) : "tuple" in v ? (v.tuple as Value[]) : null);
  const [a, b] = [sequence(expected), sequence(actual)];
  if (a === null || b === null || (how.strict && "list" in expected !== "list" in actual)) return false;
  return each(a, b);
}

/** JavaScript objects have only string keys, so a lenient comparison treats the keys 1 and "1" as equal. */
function sameKey(a: Value, b: Value, how: Comparison): boolean {
  if (sameValue(a, b, how)) return true;
  const text = (v: Value) => (typeof v === "object" && v !== null && "number" in v ? v.number : v);
  return !how.strict && text(a) === text(b);
}

function sameNumber(a: Value, b: Value, how: Comparison): boolean {
  const [x, y] = [numberText(a), numberText(b)];
  if (x === null || y === null || (how.types === true && numberKind(a) !== numberKind(b))) return false;
  // NaN and the infinities are compared as words, so each equals itself.
  if (x === y || sameDecimal(x, y, how.strict ? 0 : TOLERANCE)) return true;
  return how.strict && !(isInteger(x) && isInteger(y)) && Number(x) === Number(y);
}

const isInteger = (text: string) => /^-?\d+$/.test(text);

function numberKind(value: Value): string {
  if (typeof value === "boolean") return "bool";
  return isInteger(numberText(value) ?? "") ? "int" : "float";
}

function numberText(value: Value): string | null {
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "object" && value !== null && "number" in value ? value.number : null;
}
