// Parses the values that a program returned. The program can choose this JSON freely, so every part is
// validated.
import type { Value } from "./literals.ts";

/** The harness writes at most 64 levels; anything deeper was not written by the harness. */
const DEPTH_MAX = 80;
const NUMBER = /^-?(?:\d{1,100000}(?:\.\d+)?(?:e[-+]?\d{1,4})?|Infinity|NaN)$/;

/** The value in a cell's answer; undefined if the string does not have the harness's format. */
export function readEmitted(text: string): Value | undefined {
  try {
    return toValue((JSON.parse(text) as { value: unknown }).value, 0);
  } catch {
    return undefined;
  }
}

class NotAValue extends Error {}

function toValue(shape: unknown, depth: number): Value {
  if (depth > DEPTH_MAX) throw new NotAValue();
  if (shape === null || typeof shape === "boolean" || typeof shape === "string") return shape;
  if (typeof shape !== "object") throw new NotAValue();
  const parts = shape as Readonly<Record<string, unknown>>;
  const items = (list: unknown) => arrayOf(list).map((item) => toValue(item, depth + 1));
  // An object of a custom subclass counts as its base value.
  if (Object.hasOwn(parts, "base")) return toValue(parts.base, depth + 1);
  if (typeof parts.number === "string" && NUMBER.test(parts.number)) return { number: parts.number };
  if (Object.hasOwn(parts, "list")) return { list: items(parts.list) };
  if (Object.hasOwn(parts, "iterator")) return { list: items(parts.iterator) };
  if (Object.hasOwn(parts, "tuple")) return { tuple: items(parts.tuple) };
  if (Object.hasOwn(parts, "set")) return { set: items(parts.set) };
  const pairs = arrayOf(parts.dict).map((pair) => {
    const [key, value, ...more] = items(pair);
    if (key === undefined || value === undefined || more.length > 0) throw new NotAValue();
    return [key, value] as [Value, Value];
  });
  return { dict: pairs };
}

function arrayOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new NotAValue();
  return value;
}
