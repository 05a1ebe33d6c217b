// The comparison of a final answer with a reference by rules: equal, different, or unknown, which is for a
// judge. It never says equal where it is not.
import { plainAnswer } from "./answer-text.ts";
import { choiceAlone, choiceIn } from "./choice.ts";
import { compareNumbers, type Equivalence, rationalOf } from "./exact-number.ts";
import { type Form, numberOf, type ReadAnswer, readMath, readSet } from "./math-forms.ts";
import { compareSets } from "./number-sets.ts";

export type { Equivalence } from "./exact-number.ts";
export type { ReadAnswer } from "./math-forms.ts";

/** The known type of the reference; `auto`: the rules look. */
export const ANSWER_TYPES = ["auto", "number", "choice", "set", "text"] as const;
export type AnswerType = (typeof ANSWER_TYPES)[number];

export interface EquivalenceRules {
  type: AnswerType;
  /** Relative to the larger of two numbers, in millionths; 0n: exactly. */
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

/** TeX arguments in braces, whichever way they were written; no number changes. */
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

/** The words, or the characters. */
const textOf = (answer: string): ReadAnswer =>
  WORDS.test(answer)
    ? { key: `words ${folded(answer.replace(/\s+/g, " "))}`, form: { kind: "words" }, isDecidable: false }
    : { key: `signs ${bare(braced(answer))}`, form: { kind: "signs" }, isDecidable: false };

const NOTHING: ReadAnswer = { key: null, form: null, isDecidable: false };

/** Looks like words, and is algebra: pi, or a difference of letters. */
const SYMBOLS = /^(?:pi|\u03c0|[A-Za-z](?:-[A-Za-z])+)$/;

/** By the first form that the answer has. */
function byForm(answer: string): ReadAnswer {
  const short = numberOf(answer) ?? choiceOf(choiceAlone(answer)) ?? truthOf(answer);
  if (short !== null) return short;
  if (WORDS.test(answer) && !SYMBOLS.test(answer)) return textOf(answer);
  return readMath(answer) ?? textOf(answer);
}

/** A number, a quantity, or a name that is said to be such. */
function numeric(read: ReadAnswer): boolean {
  const { form } = read;
  if (form?.kind === "named") return numeric(form.inner);
  if (form?.kind === "quantity") return numeric(form.amount);
  return form?.kind === "number" || (form?.kind === "value" && form.value.isNumeric);
}

/** Behind the letter of a choice any text may follow. */
const CHOICE_CHARS = 512;
const choiceHead = (given: string): string => plainAnswer(given.slice(0, CHOICE_CHARS)) ?? "";

/** Reads an answer, or a reference, as what it is known to be. */
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
 * An answer as it compares with a reference whose type the rules found by themselves: where that is a
 * choice, text behind the letter is left out.
 * @param read the answer, read as `auto`
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
  // Unordered items are paired by value where all are numbers, else by key, which proves no difference.
  const meet = a.isOrdered || [a, b].every(({ items }) => items.every(({ form }) => form?.kind === "number"));
  return meet && found.includes("different") ? "different" : "unknown";
}

/**
 * Compares exact values of which at least one has a root, pi, i or a letter; a fraction may be the
 * other rounded.
 */
function compareValues(a: Form & { kind: "number" | "value" }, b: typeof a): Equivalence {
  const isWhole = [a, b].every((form) =>
    form.kind === "number" ? form.number.den === 1n && !form.number.percent : form.value.isNumeric,
  );
  return isWhole ? "different" : "unknown";
}

/** Compares what was read, as it stands. */
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

/** What is equal where one side leaves out a unit, a percent sign or a name that the other writes. */
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
 * Compares what was read, in either order alike. Exact arithmetic; of what is undecidable by form
 * (prose, other units, functions) it says `unknown`.
 */
export function compareRead(a: ReadAnswer, b: ReadAnswer, tolerance: bigint): Equivalence {
  const found = compareForms(a, b, tolerance);
  // Different only where the rules see all of both.
  if (found === "different") return a.isDecidable && b.isDecidable ? found : "unknown";
  if (found === "equal" || a.key === null || b.key === null) return found;
  return isEqualWithout(a, b, tolerance) || isEqualWithout(b, a, tolerance) ? "equal" : "unknown";
}

/** Compares a reference with a final answer: `compareRead` of two texts. */
export const compareAnswers = (reference: string, answer: string, { type, tolerance }: EquivalenceRules): Equivalence =>
  compareRead(readAnswer(reference, type), readAnswer(answer, type), tolerance);
