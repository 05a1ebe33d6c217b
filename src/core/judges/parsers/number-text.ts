// Numbers inside a content, within a range.
import { stripped, unwrapped } from "./answer-text.ts";

export interface Range {
  /** Lowest and highest allowed. */
  range: readonly [number, number];
}

const NUMBER = /^[+-]?(?:[0-9]{1,16}(?:\.[0-9]{0,16})?|\.[0-9]{1,16})$/;

/** A number written in ASCII digits, or null. */
export function numberIn(text: string): number | null {
  const bare = stripped(text);
  // + 0 turns -0 into 0.
  return NUMBER.test(bare) ? Number(bare) + 0 : null;
}

export const within = (value: number, [low, high]: Range["range"]): boolean => value >= low && value <= high;

/**
 * The `count` numbers of a content, between commas or semicolons; null for another count, and for
 * one that is no number or out of range.
 */
export function numbersIn(content: string, count: number, range: Range["range"]): number[] | null {
  const parts = unwrapped(content).split(/[,;]/);
  if (parts.length !== count) return null;
  const numbers = parts.map(numberIn);
  return numbers.every((value) => value !== null && within(value, range)) ? (numbers as number[]) : null;
}

const LEADING = /^([+-]?(?:[0-9]{1,16}(?:\.[0-9]{1,16})?|\.[0-9]{1,16}))(?![0-9.,/%\p{L}]?[0-9\p{L}]|[%/])\.?/u;

/**
 * The number that a line's rest begins with; null when it begins with none that stands alone. What
 * it is out of, the range's end, may follow.
 */
export function leadingNumber(rest: string, [low, high]: Range["range"]): number | null {
  const text = rest.replace(/^[\s`*_"'\u201c\u201d\u2018\u2019:;,!([]+/, "");
  const whole = new RegExp(`^(\\S{1,40}?) ?(?:/|out of) ?${high}(?![0-9.])`).exec(text)?.[1];
  const shown = whole ?? LEADING.exec(text)?.[1];
  const value = shown === undefined ? null : numberIn(shown);
  return value !== null && within(value, [low, high]) ? value : null;
}
