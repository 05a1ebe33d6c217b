// Owns the comparison of a final answer with a reference by rules: equal, different, or unknown,
// which is for a judge. It never says equal where it is not.
import { plainAnswer } from "./answer-text.ts";
import { compareNumbers, type Equivalence, type Rational, readNumber } from "./exact-number.ts";
import { compareSets, type NumberSet, numberSet } from "./number-sets.ts";

export type { Equivalence } from "./exact-number.ts";

/** What the reference is known to be; `auto`: the rules look. */
export const ANSWER_TYPES = ["auto", "number", "choice", "set", "text"] as const;
export type AnswerType = (typeof ANSWER_TYPES)[number];

export interface EquivalenceRules {
  type: AnswerType;
  /** Relative to the larger of two numbers, in millionths; 0n: exactly. */
  tolerance: bigint;
}

/** What an answer is read as; `signs`: as nothing but its characters. */
type Form =
  | { kind: "number"; number: Rational }
  | { kind: "choice"; letter: string }
  | { kind: "truth"; pair: string }
  | { kind: "list"; brackets: string; items: readonly Rational[] }
  | { kind: "set"; items: NumberSet }
  | { kind: "words" | "signs" }
  | { kind: "quantity"; number: Rational; unit: string };

/** An answer, read once; those with the same key are equal, and no others but by a tolerance. */
export interface ReadAnswer {
  /** null: nothing that rules could read; equal to nothing. */
  key: string | null;
  form: Form | null;
}

const WORD = /^(?:(?:option|choice|answer)\s*(?::\s*)?|\s*)(?:[([{]\s*)?([A-E])\s*[)\]}]?$/i;

/** The letter of a choice: A to E, alone, in brackets or behind `option`, `choice`, `answer`. */
function choiceOf(answer: string): ReadAnswer | null {
  const letter = WORD.exec(answer)?.[1];
  if (letter === undefined || letter !== letter.toUpperCase()) return null;
  return { key: `choice ${letter}`, form: { kind: "choice", letter } };
}

const TRUTHS: ReadonlyMap<string, string> = new Map([
  ...(["yes", "no"] as const).map((word) => [word, "yes or no"] as const),
  ...(["true", "false"] as const).map((word) => [word, "true or false"] as const),
]);

function truthOf(answer: string): ReadAnswer | null {
  const word = answer.toLowerCase();
  const pair = TRUTHS.get(word);
  return pair === undefined ? null : { key: `truth ${word}`, form: { kind: "truth", pair } };
}

const LISTED = /^(\\\{|[([])(.*?)(\\\}|[)\]])$/s;
/** `1,234` inside a list: thousands, or two numbers. */
const AMBIGUOUS_COMMA = /\d,\d{3}(?!\d)/;
const BRACES = "\\{\\}";

function numbersIn(body: string): readonly Rational[] | null {
  if (AMBIGUOUS_COMMA.test(body)) return null;
  const items = body.split(",").map((part) => readNumber(part.trim()));
  return items.includes(null) ? null : (items as Rational[]);
}

function setOf(items: readonly Rational[]): ReadAnswer {
  const set = numberSet(items);
  return { key: `set ${set.key}`, form: { kind: "set", items: set } };
}

function listOf(answer: string): ReadAnswer | null {
  const [, open = "", body = "", close = ""] = LISTED.exec(answer) ?? [];
  const items = open === "" || (open === "\\{") !== (close === "\\}") ? null : numbersIn(body);
  if (items === null) return null;
  const brackets = `${open}${close}`;
  if (brackets === BRACES) return setOf(items);
  return { key: `list ${brackets} ${items.map(({ key }) => key).join(",")}`, form: { kind: "list", brackets, items } };
}

function compareLists(a: Form & { kind: "list" }, b: Form & { kind: "list" }, tolerance: bigint): Equivalence {
  if (a.brackets !== b.brackets) return "unknown";
  if (a.items.length !== b.items.length) return "different";
  const found = a.items.map((item, i) => compareNumbers(item, b.items[i] as Rational, tolerance));
  if (found.includes("different")) return "different";
  return found.includes("unknown") ? "unknown" : "equal";
}

const WORDS = /^\p{L}[\p{L}\p{M}'\u2019-]*(?:\s+\p{L}[\p{L}\p{M}'\u2019-]*)*$/u;

/**
 * Words in one case; a short one alone as it is: `Co` is not `CO`, and `x` not `X`; of three
 * letters only the first may differ.
 */
const folded = (words: string): string => {
  if (words.length < 3) return words;
  return words.length > 3 ? words.toLowerCase() : words.charAt(0).toLowerCase() + words.slice(1);
};

/** Without spaces, but for those between two letters or two digits: `1 000` is not `1000`. */
const bare = (answer: string): string =>
  answer
    .replace(/\s+/g, " ")
    .replace(/(?<![\p{L}\p{N}]) | (?![\p{L}\p{N}])|(?<=\p{L}) (?=\p{N})|(?<=\p{N}) (?=\p{L})/gu, "");

/** The words, or the characters. */
const textOf = (answer: string): ReadAnswer =>
  WORDS.test(answer)
    ? { key: `words ${folded(answer.replace(/\s+/g, " "))}`, form: { kind: "words" } }
    : { key: `signs ${bare(answer)}`, form: { kind: "signs" } };

const UNIT_CHARACTER = /[A-Za-z\u00b0\u00b5\u03a9/^0-9]/;
const UNIT_BEGINS = /[A-Za-z\u00b0\u00b5\u03a9]/;
const DIGIT = /\d/;

/** What stands before the unit that an answer ends in, up to a digit, and the unit; null without. */
function quantityIn(answer: string): readonly [amount: string, unit: string] | null {
  let at = answer.length;
  while (at > 0 && UNIT_CHARACTER.test(answer.charAt(at - 1))) at--;
  const before = answer.slice(0, at).trimEnd();
  const isLine = (text: string) => !/[\n\r\u2028\u2029]/.test(text);
  if (isLine(before) && DIGIT.test(before.slice(-1)) && UNIT_BEGINS.test(answer.charAt(at))) {
    return [before, answer.slice(at)];
  }
  if (!isLine(answer.slice(0, at))) return null;
  for (at++; at < answer.length; at++) {
    const begins = DIGIT.test(answer.charAt(at - 1)) && UNIT_BEGINS.test(answer.charAt(at));
    if (begins) return [answer.slice(0, at), answer.slice(at)];
  }
  return null;
}

function quantityOf(answer: string): ReadAnswer | null {
  const [amount, unit] = quantityIn(bare(answer)) ?? ["", ""];
  const number = unit === "" ? null : readNumber(amount);
  return number === null ? null : { key: `quantity ${number.key} ${unit}`, form: { kind: "quantity", number, unit } };
}

function numberOf(answer: string): ReadAnswer | null {
  const number = readNumber(answer);
  return number === null ? null : { key: `number ${number.key}`, form: { kind: "number", number } };
}

const NOTHING: ReadAnswer = { key: null, form: null };

/** By the first form that the answer has. */
function byForm(answer: string): ReadAnswer {
  return (
    numberOf(answer) ??
    choiceOf(answer) ??
    truthOf(answer) ??
    listOf(answer) ??
    (WORDS.test(answer) ? null : quantityOf(answer)) ??
    textOf(answer)
  );
}

/** Reads an answer, or a reference, as what it is known to be. */
export function readAnswer(given: string, type: AnswerType): ReadAnswer {
  const answer = plainAnswer(given);
  if (answer === null) return { key: `long ${given}`, form: null };
  if (answer === "") return NOTHING;
  switch (type) {
    case "number":
      return numberOf(answer) ?? quantityOf(answer) ?? NOTHING;
    case "choice":
      return choiceOf(answer.toUpperCase()) ?? NOTHING;
    case "set": {
      const listed = listOf(answer)?.form;
      const items = listed?.kind === "list" ? listed.items : listed?.kind === "set" ? null : numbersIn(answer);
      if (listed?.kind === "set") return setOf([...listed.items.byKey.values()]);
      return items === null ? NOTHING : setOf(items);
    }
    case "text":
      return textOf(answer);
    default:
      return byForm(answer);
  }
}

/**
 * Compares what was read, in either order alike. Exact rational arithmetic; of what is undecidable
 * by form (algebra, units, prose) it says `unknown`.
 */
export function compareRead({ key, form: a }: ReadAnswer, other: ReadAnswer, tolerance: bigint): Equivalence {
  const b = other.form;
  if (key === null || other.key === null) return "unknown";
  if (key === other.key) return "equal";
  if (a === null || b === null) return "unknown";
  if (a.kind === "number" && b.kind === "number") return compareNumbers(a.number, b.number, tolerance);
  if (a.kind === "choice" && b.kind === "choice") return "different";
  if (a.kind === "truth" && b.kind === "truth") return a.pair === b.pair ? "different" : "unknown";
  if (a.kind === "list" && b.kind === "list") return compareLists(a, b, tolerance);
  if (a.kind === "set" && b.kind === "set") return compareSets(a.items, b.items, tolerance);
  if (a.kind === "quantity" && b.kind === "quantity" && a.unit === b.unit) {
    return compareNumbers(a.number, b.number, tolerance) === "equal" ? "equal" : "unknown";
  }
  return "unknown";
}

/** Compares a reference with a final answer: `compareRead` of two texts. */
export const compareAnswers = (reference: string, answer: string, { type, tolerance }: EquivalenceRules): Equivalence =>
  compareRead(readAnswer(reference, type), readAnswer(answer, type), tolerance);
