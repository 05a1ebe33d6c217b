// The rules of Python that the strict reward formulas depend on: white space, integer literals, rounding.

/**
 * The characters that `str.strip` and `\s` in Python's `re` treat as white space, as the contents of a
 * JavaScript character class. JavaScript's own `\s` differs at U+001C-1F, U+0085 and U+FEFF.
 */
export const PYTHON_SPACE_CLASS =
  "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** Whether Python treats the UTF-16 code unit as white space. */
export function isPythonSpace(unit: number): boolean {
  if (unit <= 0x20) return unit >= 0x1c || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0x1680) return unit === 0x85 || unit === 0xa0;
  return (
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

/** Offset of the first code unit that `str.strip` keeps; the length of the string if it keeps none. */
export function stripStart(text: string): number {
  let start = 0;
  while (start < text.length && isPythonSpace(text.charCodeAt(start))) start++;
  return start;
}

/** Offset after the last code unit before `end` that is not white space; 0 if there is none. */
export function stripEnd(text: string, end: number = text.length): number {
  let stop = end;
  while (stop > 0 && isPythonSpace(text.charCodeAt(stop - 1))) stop--;
  return stop;
}

/** Python's `str.strip()`. */
export function strip(text: string): string {
  const end = stripEnd(text);
  return end === 0 ? "" : text.slice(stripStart(text), end);
}

/** CPython rejects longer decimal literals (sys.int_info.default_max_str_digits). */
const INT_DIGITS_MAX = 4300;

const LITERAL =
  "(?:[+-][ \\t\\f\\r]*)?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|[1-9](?:_?[0-9])*|0(?:_?0)*)|True|False";
const LIST_ITEM = new RegExp(`[ \\t\\f\\r]*(${LITERAL})[ \\t\\f\\r]*([,\\]])`, "y");
const EMPTY_TAIL = /[ \t\f\r]*\]/y;
const BLANK_TAIL = /[ \t\f\r]*$/y;

/**
 * Parses a Python list of integer literals as `ast.literal_eval` does: accepts `-1`, `+10`, `0xA`, `1_0`,
 * `00`, a trailing comma and `True` (= 1); rejects `10.0`, `010`, quotes, tuples and non-ASCII digits. Unlike
 * Python, also rejects comments and literals in parentheses. Returns null for anything else and for lists of
 * more than `max` entries.
 */
export function parsePythonIntList(source: string, max: number): bigint[] | null {
  let at = 0;
  while (source[at] === " " || source[at] === "\t") at++;
  if (source[at] !== "[") return null;
  at++;
  const values: bigint[] = [];
  for (let closed = false; !closed; ) {
    EMPTY_TAIL.lastIndex = at;
    if (EMPTY_TAIL.test(source)) {
      at = EMPTY_TAIL.lastIndex;
      break;
    }
    LIST_ITEM.lastIndex = at;
    const item = LIST_ITEM.exec(source);
    if (item === null || values.length === max) return null;
    const value = integerOf(item[1] as string);
    if (value === null) return null;
    values.push(value);
    closed = item[2] === "]";
    at = LIST_ITEM.lastIndex;
  }
  BLANK_TAIL.lastIndex = at;
  return BLANK_TAIL.test(source) ? values : null;
}

function integerOf(literal: string): bigint | null {
  if (literal === "True") return 1n;
  if (literal === "False") return 0n;
  if (literal.length > INT_DIGITS_MAX) return null;
  const negative = literal.startsWith("-");
  const magnitude = BigInt(literal.replace(/[+\-_ \t\f\r]/g, ""));
  return negative ? -magnitude : magnitude;
}

/** Python's `round(x)`: the nearest integer, with ties to even. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
