// Reads an answer as mathematics: numbers, algebra, quantities, lists, sets, intervals, matrices, names and
// relations. Answers with the same key are equal.

import { type AlgebraicValue, readAlgebra } from "./algebra-reader.ts";
import { orderNumbers, type Rational, rationalOf, readNumber } from "./exact-number.ts";
import { type NumberSet, numberSet } from "./number-sets.ts";
import { PERCENT, splitUnit } from "./units.ts";

/** The form in which an answer was read. With `signs`, answers are compared character by character. */
export type Form =
  | { kind: "number"; number: Rational }
  | { kind: "value"; value: AlgebraicValue }
  | { kind: "choice"; letter: string }
  | { kind: "truth"; pair: string }
  | { kind: "based"; base: string }
  | { kind: "list"; brackets: string; isOrdered: boolean; items: readonly ReadAnswer[] }
  | { kind: "set"; items: NumberSet }
  | { kind: "words" | "signs" | "relation" }
  | { kind: "quantity"; amount: ReadAnswer; unit: string; product: string | null }
  | { kind: "named"; name: string; inner: ReadAnswer };

/**
 * A parsed answer. Answers with the same key are equal; answers with different keys can be equal only within
 * a tolerance.
 */
export interface ReadAnswer {
  /** null if the rules cannot read the answer, which then equals no other answer. */
  key: string | null;
  form: Form | null;
  /** Whether a different key proves that the answers differ. */
  isDecidable: boolean;
}

export function numberOf(answer: string): ReadAnswer | null {
  const number = readNumber(answer);
  return number === null ? null : numberRead(number);
}

const numberRead = (number: Rational): ReadAnswer => ({
  key: `number ${number.key}`,
  form: { kind: "number", number },
  isDecidable: true,
});

const INFINITE = /^([+-]?)\s*(?:\\infty(?![A-Za-z])|\u221e)$/;

/** Reads a number, an infinity, or algebra. */
function valueIn(answer: string): ReadAnswer | null {
  const number = numberOf(answer);
  if (number !== null) return number;
  const sign = INFINITE.exec(answer)?.[1];
  if (sign !== undefined) {
    const key = sign === "-" ? "-infinity" : "infinity";
    const value = { key, value: null, isNumeric: true, isPlain: true, letters: new Set<string>() };
    return { key: `value ${key}`, form: { kind: "value", value }, isDecidable: true };
  }
  const value = readAlgebra(answer);
  if (value === null) return null;
  if (value.value !== null) return numberRead(rationalOf(value.value, false));
  return { key: `value ${value.key}`, form: { kind: "value", value }, isDecidable: value.isPlain };
}

function quantityOf(answer: string): ReadAnswer | null {
  const split = splitUnit(answer);
  const amount = split === null ? null : valueIn(split.amount);
  if (split === null || amount === null) return null;
  const { unit } = split;
  if (unit === PERCENT) {
    const number = amount.form?.kind === "number" && !amount.form.number.percent ? amount.form.number : null;
    if (number !== null) return numberRead(rationalOf([number.num, number.den], true));
  }
  // With a one-letter unit, 5 m may be a quantity or a product.
  const product = /^[A-Za-z](?:\^\d)?$/.test(unit) ? (valueIn(`(${split.amount}) ${unit}`)?.key ?? null) : null;
  const form = { kind: "quantity", amount, unit, product } as const;
  return { key: `quantity ${amount.key} ${unit}`, form, isDecidable: amount.isDecidable };
}

const BASES = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split(" ");
const BASED =
  /^\(?\s*([0-9A-F]{1,200})\s*(?:\)\s*)?_\s*(?:(\d)|\{\s*(?:\\text\s*\{\s*)?(\d{1,2}|[a-z]{3,8})\s*(?:\}\s*)?\})$/;

/** Reads a number whose base is written as a subscript. */
function basedOf(answer: string): ReadAnswer | null {
  const [, digits = "", digit, more = ""] = BASED.exec(answer) ?? [];
  const at = BASES.indexOf(more);
  const base = digit ?? (at < 0 ? more : `${at + 2}`);
  if (!/^\d+$/.test(base)) return null;
  return {
    key: `based ${base} ${digits.replace(/^0+(?=.)/, "")}`,
    form: { kind: "based", base },
    isDecidable: true,
  };
}

const LISTED = /^(\\\{|[([])(.*)(\\\}|[)\]])$/s;
/** Inside a list, `1,234` may be one number or two. */
const AMBIGUOUS_COMMA = /\d,\d{3}(?!\d)/;
const BRACES = "\\{\\}";
const OPEN = new Set(["(", "[", "{", "\\{"]);
const CLOSE = new Set([")", "]", "}", "\\}"]);
const LIST_DEPTH_MAX = 4;

/** Splits at separators outside brackets. Returns null if the brackets are unbalanced. */
function splitAt(body: string, isSeparator: (sign: string) => boolean): string[] | null {
  const parts: string[] = [];
  let [depth, part] = [0, ""];
  for (const [sign] of body.matchAll(/\\[A-Za-z]+|\\.|[<>]=|./gs)) {
    if (depth === 0 && isSeparator(sign)) {
      parts.push(part);
      part = "";
      continue;
    }
    if (OPEN.has(sign)) depth++;
    if (CLOSE.has(sign) && --depth < 0) return null;
    part += sign;
  }
  return depth === 0 ? [...parts, part] : null;
}

const isComma = (sign: string): boolean => sign === ",";

function itemsOf(body: string, depth: number): readonly ReadAnswer[] | null {
  if (AMBIGUOUS_COMMA.test(body) || depth > LIST_DEPTH_MAX) return null;
  const items: ReadAnswer[] = [];
  for (const part of splitAt(body, isComma) ?? [""]) {
    const text = part.trim();
    const item =
      text === "" ? null : (valueIn(text) ?? listOf(text, depth + 1) ?? quantityOf(text) ?? namedOf(text, depth + 1));
    if (item === null) return null;
    items.push(item);
  }
  return items;
}

const areDecidable = (items: readonly ReadAnswer[]): boolean => items.every(({ isDecidable }) => isDecidable);

function listRead(brackets: string, items: readonly ReadAnswer[], isDecidable = areDecidable(items)): ReadAnswer {
  const key = `list ${brackets} ${items.map((item) => item.key).join(",")}`;
  return { key, form: { kind: "list", brackets, isOrdered: !UNORDERED.has(brackets), items }, isDecidable };
}

const numbersOf = (items: readonly ReadAnswer[]): Rational[] | null => {
  const numbers = items.flatMap(({ form }) => (form?.kind === "number" ? [form.number] : []));
  return numbers.length === items.length ? numbers : null;
};

function setOf(items: readonly ReadAnswer[]): ReadAnswer {
  const numbers = numbersOf(items);
  if (numbers === null) return groupOf("set", items);
  const set = numberSet(numbers);
  return { key: `set ${set.key}`, form: { kind: "set", items: set }, isDecidable: true };
}

/** Reads an unordered group and removes duplicates. */
function groupOf(name: string, items: readonly ReadAnswer[]): ReadAnswer {
  const byKey = new Map(items.map((item) => [item.key, item]));
  return listRead(name, inOrder([...byKey.values()]));
}

/**
 * Sorts items: numbers in ascending order, so that numbers within a tolerance are paired; other items by key.
 */
function inOrder(items: readonly ReadAnswer[]): ReadAnswer[] {
  const numbers = numbersOf(items)?.sort((a, b) => Number(a.percent) - Number(b.percent) || orderNumbers(a, b));
  return numbers?.map(numberRead) ?? [...items].sort((a, b) => ((a.key as string) < (b.key as string) ? -1 : 1));
}

/** Reads a set, tuple, interval or list in brackets. */
function listOf(answer: string, depth = 0): ReadAnswer | null {
  const [, open = "", body = "", close = ""] = LISTED.exec(answer) ?? [];
  const items = open === "" || (open === "\\{") !== (close === "\\}") ? null : itemsOf(body, depth);
  if (items === null) return null;
  return `${open}${close}` === BRACES ? setOf(items) : listRead(`${open}${close}`, items);
}

const UNORDERED: ReadonlySet<string> = new Set(["set", "list", "union"]);
/** Whether the answer is a set in braces. */
const isSet = ({ form }: ReadAnswer): boolean =>
  form?.kind === "set" || (form?.kind === "list" && form.brackets === "set");

const JOINED =
  /(?:(?<!\s)\s+)?(?:,\s*)?(?:\\(?:text|mbox|mathrm)\s*\{\s*(?:,\s*)?(?:and|or)\s*\}|(?<![A-Za-z\\])(?:and|or)(?![A-Za-z]))\s*/g;
const UNION = /^(?:\\cup|\u222a)$/;

/** Reads two or more items in any order, separated by commas or `and`, or a union of intervals. */
function bareListOf(answer: string): ReadAnswer | null {
  const parts = splitAt(answer, (sign) => UNION.test(sign));
  if (parts !== null && parts.length > 1) {
    const intervals = parts.map((part) => listOf(part.trim()));
    return intervals.includes(null) ? null : groupOf("union", intervals as ReadAnswer[]);
  }
  const commas = answer.replace(JOINED, ",");
  if (!commas.includes(",")) return null;
  const items = itemsOf(commas, 0);
  if (items === null || items.length < 2) return null;
  // Words between the items may mean more than a plain list.
  return listRead("list", inOrder(items), commas === answer && areDecidable(items));
}

const MATRIX = /^\\begin\s*\{([pb]matrix|matrix|array)\}(?:\s*\{[lcr| ]*\})?(.*)\\end\s*\{\1\}$/s;

function matrixOf(answer: string): ReadAnswer | null {
  const body = MATRIX.exec(answer)?.[2]?.trim().replace(/\\\\$/, "");
  if (body === undefined) return null;
  const rows = body.split(/\\\\(?:\s*\[[^\]]*\])?/).map((row) => row.split("&").map((cell) => valueIn(cell.trim())));
  if (rows.some((row) => row.length !== rows[0]?.length || row.includes(null))) return null;
  return listRead(
    "matrix",
    rows.map((row) => listRead("row", row as ReadAnswer[])),
  );
}

const NAME =
  /^(?:[A-Za-z]|\\[A-Za-z]+)(?:_(?:[A-Za-z0-9]|\{[A-Za-z0-9]+\}))?(?:\s*\(\s*[A-Za-z](?:\s*,\s*[A-Za-z])*\s*\))?$/;
const IS_IN = /^([A-Za-z]|\\[A-Za-z]+)\s*(?:\\in(?![A-Za-z])|\u2208)\s*/;
const RELATION: ReadonlyMap<string, string> = new Map([
  ...["=", "\\ne", "\\neq", "\u2260"].map((sign) => [sign, sign === "=" ? sign : "\\ne"] as const),
  ...["<", "\\lt"].map((sign) => [sign, "<"] as const),
  ...[">", "\\gt"].map((sign) => [sign, ">"] as const),
  ...["\\le", "\\leq", "\\leqslant", "\u2264", "<="].map((sign) => [sign, "<="] as const),
  ...["\\ge", "\\geq", "\\geqslant", "\u2265", ">="].map((sign) => [sign, ">="] as const),
]);
const TURNED: ReadonlyMap<string, string> = new Map([
  [">", "<"],
  [">=", "<="],
]);

/** Reads a name with its value, such as `x = 5`, `f(x) = 2x` or `x \in [0, 1]`. */
function namedOf(answer: string, depth = 0): ReadAnswer | null {
  if (depth > LIST_DEPTH_MAX) return null;
  const member = IS_IN.exec(answer);
  const sides = member === null ? splitAt(answer, (sign) => sign === "=") : null;
  if (member === null && sides?.length !== 2) return null;
  const [left, right] =
    member === null ? (sides as string[]).map((side) => side.trim()) : [member[1], answer.slice(member[0].length)];
  const isLeft = NAME.test(left as string);
  const [name, text] = isLeft ? [left as string, right as string] : [right as string, left as string];
  const inner = NAME.test(name)
    ? (valueIn(text) ?? quantityOf(text) ?? listOf(text, depth + 1) ?? bareListOf(text))
    : null;
  if (inner === null || (inner.form?.kind === "value" && inner.form.value.letters.has(name))) return null;
  const full = `${name.replace(/\s/g, "")}${member === null ? "" : " in"}`;
  return {
    key: `named ${full} ${inner.key}`,
    form: { kind: "named", name: full, inner },
    isDecidable: inner.isDecidable,
  };
}

/**
 * Reads two or more sides connected by relations. The result is undecidable, because a relation has
 * equivalent forms that the rules do not know.
 */
function relationOf(answer: string): ReadAnswer | null {
  const signs: string[] = [];
  const sides = splitAt(answer, (sign) => {
    const relation = RELATION.get(sign);
    if (relation !== undefined) signs.push(relation);
    return relation !== undefined;
  });
  if (sides === null || signs.length === 0) return null;
  const keys = sides.map((side) => valueIn(side.trim())?.key ?? null);
  if (keys.includes(null)) return null;
  const isSwapped =
    signs.length === 1 && ["=", "\\ne"].includes(signs[0] as string) && (keys[0] as string) > (keys[1] as string);
  const isTurned = signs.every((sign) => TURNED.has(sign));
  if (isSwapped || isTurned) keys.reverse();
  const relations = isTurned ? signs.map((sign) => TURNED.get(sign)).reverse() : signs;
  return { key: `relation ${relations.join()} ${keys.join(" ; ")}`, form: { kind: "relation" }, isDecidable: false };
}

/** Reads an answer in the first mathematical form that matches; returns null if none does. */
export const readMath = (answer: string): ReadAnswer | null =>
  matrixOf(answer) ??
  basedOf(answer) ??
  quantityOf(answer) ??
  valueIn(answer) ??
  listOf(answer) ??
  namedOf(answer) ??
  bareListOf(answer) ??
  relationOf(answer);

/**
 * Reads the items in an answer as a set, in any brackets or none; returns null if the answer lists nothing.
 */
export function readSet(answer: string): ReadAnswer | null {
  const listed = listOf(answer);
  if (listed !== null && isSet(listed)) return listed;
  const items = listed?.form?.kind === "list" ? listed.form.items : itemsOf(answer, 0);
  return items === null ? null : setOf(items);
}
