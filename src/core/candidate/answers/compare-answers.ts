// Compares a final answer with a reference by rules. The result is equal, different, or unknown, which leaves
// the decision to a judge. Unequal answers are never reported as equal.

import { lazily } from "../../text/lazily.ts";
import { plainAnswer } from "./answer-text.ts";
import { choiceAlone, choiceIn } from "./choice.ts";
import { compareNumbers, type Equivalence, rationalOf } from "./exact-number.ts";
import { type Form, numberOf, type ReadAnswer, readMath, readSet } from "./math-forms.ts";
import { compareSets } from "./number-sets.ts";

export type { Equivalence } from "./exact-number.ts";
export type { ReadAnswer } from "./math-forms.ts";

/** The type of the reference. With `auto`, the rules detect the type. */
export const ANSWER_TYPES = ["auto", "number", "choice", "set", "text"] as const;
export type AnswerType = (typeof ANSWER_TYPES)[number];

export interface EquivalenceRules {
  type: AnswerType;
  /** Relative to the larger of the two numbers, in millionths. 0n requires exact equality. */
  tolerance: bigint;
}

const choiceOf = (letter: string | null): ReadAnswer | null =>
  letter === null ? null : { key: `choice ${letter}`, form: { kind: "choice", letter }, isDecidable: true };

const TRUTHS: ReadonlyMap<string, string> = new Map([
  ...(["yes", "no"] as const).map((word) => [word, "yes or no"] as const),
  ...(["true", "false"] as const).map((word) => [word, "true or false"] as const),
]);

function truthOf(answer: string): ReadAnswer | null {
  const word = answer.toLowerCase();
  const pair = TRUTHS.get(word);
  return pair === undefined ? null : { key: `truth ${word}`, form: { kind: "truth", pair }, isDecidable: true };
}

const WORDS = lazily(() => /^\p{L}[\p{L}\p{M}'\u2019-]*(?:\s+\p{L}[\p{L}\p{M}'\u2019-]*)*$/u);

/**
 * Ignores the case of words. Words of one or two letters keep their case, because `Co` is not `CO` and `x` is
 * not `X`. In words of three letters, only the case of the first may differ.
 */
const folded = (words: string): string => {
  if (words.length < 3) return words;
  return words.length > 3 ? words.toLowerCase() : words.charAt(0).toLowerCase() + words.slice(1);
};

/** Removes spaces, except between two letters or two digits, because `1 000` may not mean `1000`. */
const bare = (answer: string): string =>
  answer
    .replace(/\s+/g, " ")
    .replace(/(?<![\p{L}\p{N}]) | (?![\p{L}\p{N}])|(?<=\p{L}) (?=\p{N})|(?<=\p{N}) (?=\p{L})/gu, "");

/** Puts TeX arguments in braces and unifies relation signs. Does not change any number. */
const braced = (text: string): string =>
  text
    .replace(/\\(?:leq|leqslant)(?![a-z])|\u2264/g, "\\le ")
    .replace(/\\(?:geq|geqslant)(?![a-z])|\u2265/g, "\\ge ")
    .replace(/\\(?:neq)(?![a-z])|\u2260/g, "\\ne ")
    .replace(/\\frac\s*(\d)\s*(?=\d(?!\d)|\{)/g, "\\frac{$1}")
    .replace(/(\\frac\s*\{[^{}]*\})\s*(\d)(?!\d)/g, "$1{$2}")
    .replace(/\\sqrt\s*(\d)(?!\d)/g, "\\sqrt{$1}")
    .replace(/\\sqrt\s+([A-Za-z])(?![A-Za-z])/g, "\\sqrt{$1}")
    .replace(/([\^_])\s*([A-Za-z0-9])(?!\d)/g, "$1{$2}");

/** Reads an answer as words if it consists of words, else as characters. */
const textOf = (answer: string): ReadAnswer =>
  WORDS().test(answer)
    ? { key: `words ${folded(answer.replace(/\s+/g, " "))}`, form: { kind: "words" }, isDecidable: false }
    : { key: `signs ${bare(braced(answer))}`, form: { kind: "signs" }, isDecidable: false };

const NOTHING: ReadAnswer = { key: null, form: null, isDecidable: false };

/** Algebra that looks like words: pi, or a difference of letters. */
const SYMBOLS = /^(?:pi|\u03c0|[A-Za-z](?:-[A-Za-z])+)$/;

/** Reads an answer in the first form that matches. */
function byForm(answer: string): ReadAnswer {
  const short = numberOf(answer) ?? choiceOf(choiceAlone(answer)) ?? truthOf(answer);
  if (short !== null) return short;
  if (WORDS().test(answer) && !SYMBOLS.test(answer)) return textOf(answer);
  return readMath(answer) ?? textOf(answer);
}

/** Whether an answer is a number, a quantity, or a name whose value is one of these. */
function numeric(read: ReadAnswer): boolean {
  const { form } = read;
  if (form?.kind === "named") return numeric(form.inner);
  if (form?.kind === "quantity") return numeric(form.amount);
  return form?.kind === "number" || (form?.kind === "value" && form.value.isNumeric);
}

/** Number of characters that are read of an answer that is a choice. Any text may follow the letter. */
const CHOICE_CHARS = 512;
const choiceHead = (given: string): string => plainAnswer(given.slice(0, CHOICE_CHARS)) ?? "";

/** Reads an answer or a reference as the given type. */
export function readAnswer(given: string, type: AnswerType): ReadAnswer {
  if (type === "choice") return choiceOf(choiceIn(choiceHead(given), true)) ?? NOTHING;
  const answer = plainAnswer(given);
  if (answer === null) return { key: `long ${given}`, form: null, isDecidable: false };
  if (answer === "") return NOTHING;
  switch (type) {
    case "number": {
      const read = byForm(answer);
      return numeric(read) ? read : NOTHING;
    }
    case "set":
      return readSet(answer) ?? NOTHING;
    case "text":
      return textOf(answer);
    default:
      return byForm(answer);
  }
}

/**
 * Reads an answer for comparison with a reference whose type was detected. If the reference is a choice, text
 * after the answer's letter is ignored.
 * @param read the answer, read with the type `auto`
 */
export function readAnswerTo({ form }: ReadAnswer, given: string, read: ReadAnswer): ReadAnswer {
  if (form?.kind !== "choice" || read.form?.kind === "choice") return read;
  return choiceOf(choiceIn(choiceHead(given), false)) ?? read;
}

type List = Form & { kind: "list" };

function compareLists(a: List, b: List, tolerance: bigint): Equivalence {
  if (a.items.length !== b.items.length) return "different";
  const found = a.items.map((item, i) => compareForms(item, b.items[i] as ReadAnswer, tolerance));
  if (!found.includes("unknown") && !found.includes("different")) return "equal";
  // If all items are numbers, unordered items are paired by value. Otherwise they are paired by key, which
  // cannot prove a difference.
  const meet = a.isOrdered || [a, b].every(({ items }) => items.every(({ form }) => form?.kind === "number"));
  return meet && found.includes("different") ? "different" : "unknown";
}

/**
 * Compares exact values, at least one of which contains a root, pi, i or a letter. A fraction may be a
 * rounded form of the other value; the result is then unknown.
 */
function compareValues(a: Form & { kind: "number" | "value" }, b: typeof a): Equivalence {
  const isWhole = [a, b].every((form) =>
    form.kind === "number" ? form.number.den === 1n && !form.number.percent : form.value.isNumeric,
  );
  return isWhole ? "different" : "unknown";
}

/** Compares two parsed answers in the forms in which they were read. */
function compareForms({ key, form: a }: ReadAnswer, other: ReadAnswer, tolerance: bigint): Equivalence {
  const b = other.form;
  if (key === null || other.key === null) return "unknown";
  if (key === other.key) return "equal";
  if (a === null || b === null) return "unknown";
  if (a.kind === "number" && b.kind === "number") return compareNumbers(a.number, b.number, tolerance);
  if ((a.kind === "number" || a.kind === "value") && (b.kind === "number" || b.kind === "value"))
    return compareValues(a, b);
  if (a.kind === "choice" && b.kind === "choice") return "different";
  if (a.kind === "truth" && b.kind === "truth") return a.pair === b.pair ? "different" : "unknown";
  if (a.kind === "based" && b.kind === "based") return a.base === b.base ? "different" : "unknown";
  if (a.kind === "list" && b.kind === "list")
    return a.brackets === b.brackets ? compareLists(a, b, tolerance) : "unknown";
  if (a.kind === "set" && b.kind === "set") return compareSets(a.items, b.items, tolerance);
  if (a.kind === "quantity" && b.kind === "quantity" && a.unit === b.unit)
    return compareForms(a.amount, b.amount, tolerance);
  if (a.kind === "named" && b.kind === "named" && a.name === b.name) return compareForms(a.inner, b.inner, tolerance);
  return "unknown";
}

/**
 * Whether two answers are equal once a unit, a percent sign or a name that only one of them has is dropped.
 */
function isEqualWithout(a: ReadAnswer, b: ReadAnswer, tolerance: bigint): boolean {
  const [left, right] = [a.form, b.form];
  if (left?.kind === "named" && right !== null && right.kind !== "named") {
    return !left.inner.isDecidable || hasLetter(b, left.name)
      ? false
      : compareRead(left.inner, b, tolerance) === "equal";
  }
  if (left?.kind === "quantity" && right?.kind === "value" && left.product === b.key) return true;
  if (left?.kind === "quantity" && (right?.kind === "number" || right?.kind === "value"))
    return compareForms(left.amount, b, tolerance) === "equal";
  if (left?.kind === "number" && right?.kind === "number" && left.number.percent && !right.number.percent) {
    const amount = rationalOf([left.number.num, left.number.den], false);
    return compareNumbers(amount, right.number, tolerance) === "equal";
  }
  return false;
}

const hasLetter = ({ form }: ReadAnswer, name: string): boolean =>
  form?.kind === "value" && form.value.letters.has(name);

/**
 * Compares two parsed answers with exact arithmetic. The order of the arguments does not matter. Returns
 * `unknown` if the forms do not decide the result (prose, different units, functions).
 */
export function compareRead(a: ReadAnswer, b: ReadAnswer, tolerance: bigint): Equivalence {
  const found = compareForms(a, b, tolerance);
  // A difference counts only if the rules cover both answers completely.
  if (found === "different") return a.isDecidable && b.isDecidable ? found : "unknown";
  if (found === "equal" || a.key === null || b.key === null) return found;
  return isEqualWithout(a, b, tolerance) || isEqualWithout(b, a, tolerance) ? "equal" : "unknown";
}

/** Parses a reference and a final answer, and compares them with `compareRead`. */
export const compareAnswers = (reference: string, answer: string, { type, tolerance }: EquivalenceRules): Equivalence =>
  compareRead(readAnswer(reference, type), readAnswer(answer, type), tolerance);
