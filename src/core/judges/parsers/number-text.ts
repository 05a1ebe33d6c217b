// Reads numbers that must be within a range.

import { lazily } from "../../text/lazily.ts";
import { stripped, unwrapped } from "./answer-text.ts";

export interface NumberRange {
  /** Lowest and highest allowed value. */
  range: readonly [number, number];
}

const NUMBER = /^[+-]?(?:[0-9]{1,16}(?:\.[0-9]{0,16})?|\.[0-9]{1,16})$/;

/** Parses a number in ASCII digits; returns null for anything else. */
export function numberIn(text: string): number | null {
  const bare = stripped(text);
  // `+ 0` turns -0 into 0.
  return NUMBER.test(bare) ? Number(bare) + 0 : null;
}

export const within = (value: number, [low, high]: NumberRange["range"]): boolean => value >= low && value <= high;

/**
 * Parses `count` numbers that are separated by commas or semicolons. Returns null if there are more or fewer,
 * if one of them is not a number, or if one is out of range.
 */
export function numbersIn(content: string, count: number, range: NumberRange["range"]): number[] | null {
  const parts = unwrapped(content).split(/[,;]/);
  if (parts.length !== count) return null;
  const numbers = parts.map(numberIn);
  return numbers.every((value) => value !== null && within(value, range)) ? (numbers as number[]) : null;
}

/** Punctuation that may precede a number on its line. A comma or dot before a digit belongs to the number. */
const BEFORE = lazily(() => /^(?:[\s`*_"'\u201c\u201d\u2018\u2019:;!([]|,(?!\p{N}))+/u);
const LEADING = /^[+-]?(?:[0-9]{1,16}(?:\.[0-9]{1,16})?|\.[0-9]{1,16})/;
/**
 * Text after a number that makes it part of another number, of a word, or of something that is not a grade.
 */
const GLUED = lazily(
  () => /^(?:[\p{L}\p{N}\p{M}\p{Cf}^\u2044]|[.,]\p{N}|[+-](?=[\s)\].]|$)|\s?[%\u2030\u00b0\u00b1+])/u,
);
/** Text allowed between the two numbers of a range or a choice, followed by the second number. */
const JOINED = lazily(
  () =>
    /^((?:(?![.;:!?\u3002])[\s\p{P}\p{S}\p{Cf}]|\.{2,}(?!\.)|(?:or|to|and|up|through|thru|till?|until|vs|versus|point|maybe|perhaps|possibly|probably|even|rather|almost|nearly|an?|o|ou|oder|bis|y|e|et|und)(?![\p{L}\p{N}])|[\u6216\u5230\u81f3]|\u304b\u3089)*)([+-]?\p{N}{1,16}(?:\.\p{N}{1,16})?|(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|half)(?![\p{L}\p{N}])|[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341])/iu,
);
/** Characters that join two numbers; white space, quotes and brackets do not. */
const JOINS = /[^\s*_`"'\u201c\u201d\u2018\u2019()[\]]/u;

/**
 * Reads the number at the start of the rest of a line, or both numbers of a range or a choice, such as "3-4",
 * "3 to 4" or "3 or 4". An entry is null if no number stands by itself there, or if the number is not
 * allowed. The scale's maximum may follow (`out of 5`). The caller must limit the length of `rest`.
 */
export function leadingNumbers(rest: string, range: NumberRange["range"]): (number | null)[] {
  const text = rest.replace(BEFORE(), "");
  const shown = LEADING.exec(text)?.[0];
  if (shown === undefined) return [null];
  const first = allowed(shown, range);
  const outOf = new RegExp(`^[*_]{0,2}\\s{0,2}(?:/|(?:out )?of\\b)\\s{0,2}${range[1]}(?!\\p{N}|[.,]\\p{N})`, "iu");
  const behind = text.slice(shown.length).replace(outOf, "");
  // A number out of a different maximum is on a different scale.
  if (GLUED().test(behind) || /^\s{0,2}(?:out )?of\s{1,2}\p{N}/iu.test(behind)) return [null];
  const [, between = "", second] = JOINED().exec(behind) ?? [];
  const joined = second !== undefined && (JOINS.test(between) || !/[()[\]]/.test(between));
  return joined && Number(second) !== Number(shown) ? [first, allowed(second, range)] : [first];
}

/** Parses a number; returns null if it is not in the range. */
function allowed(text: string, range: NumberRange["range"]): number | null {
  const value = numberIn(text);
  return value !== null && within(value, range) ? value : null;
}
