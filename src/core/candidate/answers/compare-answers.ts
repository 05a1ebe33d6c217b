// Owns the comparison of a final answer with a reference by rules: equal, different, or unknown,
// which is for a judge. It never says equal where it is not.
import { plainAnswer } from "./answer-text.ts";
import { compareNumbers, type Rational, readNumber } from "./exact-number.ts";

export type Comparison = "equal" | "different" | "unknown";

/** What the reference is known to be; `auto`: the rules look. */
export const ANSWER_TYPES = ["auto", "number", "choice", "set", "text"] as const;
export type AnswerType = (typeof ANSWER_TYPES)[number];

export interface Comparing {
  type: AnswerType;
  /** Relative to the larger of two numbers, in millionths; 0n: exactly. */
  tolerance: bigint;
}

/** A form that both answers have, or null where this one does not. */
type Read<T> = (answer: string) => T | null;

const WORD = /^(?:(?:option|choice|answer)\s*:?\s*)?[([{]?\s*([A-E])\s*[)\]}]?$/i;

/** The letter of a choice: A to E, alone, in brackets or behind `option`, `choice`, `answer`. */
const choiceOf: Read<string> = (answer) => {
  const letter = WORD.exec(answer)?.[1];
  return letter !== undefined && letter === letter.toUpperCase() ? letter : null;
};

const TRUTHS: Readonly<Record<string, readonly [pair: string, value: boolean]>> = {
  yes: ["yes", true],
  no: ["yes", false],
  true: ["true", true],
  false: ["true", false],
};

const LISTED = /^(\\\{|[([])(.*?)(\\\}|[)\]])$/s;
/** `1,234` inside a list: thousands, or two numbers. */
const AMBIGUOUS_COMMA = /\d,\d{3}(?!\d)/;

interface Listed {
  brackets: string;
  items: Rational[];
}

const numbersIn = (body: string): Rational[] | null => {
  if (AMBIGUOUS_COMMA.test(body)) return null;
  const items = body.split(",").map((part) => readNumber(part.trim()));
  return items.includes(null) ? null : (items as Rational[]);
};

const listOf: Read<Listed> = (answer) => {
  const [, open = "", body = "", close = ""] = LISTED.exec(answer) ?? [];
  const items = open === "" ? null : numbersIn(body);
  return items === null || (open === "\\{") !== (close === "\\}") ? null : { brackets: `${open}${close}`, items };
};

/** All equal: equal; one surely different: different. */
function together(parts: readonly Comparison[]): Comparison {
  if (parts.includes("different")) return "different";
  return parts.includes("unknown") ? "unknown" : "equal";
}

function sameSet(a: readonly Rational[], b: readonly Rational[], tolerance: bigint): Comparison {
  const found = (one: Rational, among: readonly Rational[]): Comparison => {
    const all = among.map((other) => compareNumbers(one, other, tolerance));
    if (all.includes("equal")) return "equal";
    return all.includes("unknown") ? "unknown" : "different";
  };
  return together([...a.map((one) => found(one, b)), ...b.map((one) => found(one, a))]);
}

function compareLists(a: Listed, b: Listed, tolerance: bigint): Comparison {
  if (a.brackets !== b.brackets) return "unknown";
  if (a.brackets === "\\{\\}") return sameSet(a.items, b.items, tolerance);
  if (a.items.length !== b.items.length) return "different";
  return together(a.items.map((one, i) => compareNumbers(one, b.items[i] as Rational, tolerance)));
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
const wordsOf: Read<string> = (answer) => (WORDS.test(answer) ? folded(answer.replace(/\s+/g, " ")) : null);

/** Without spaces, but for those between two letters or two digits: `1 000` is not `1000`. */
const bare = (answer: string): string =>
  answer
    .replace(/\s+/g, " ")
    .replace(/(?<![\p{L}\p{N}]) | (?![\p{L}\p{N}])|(?<=\p{L}) (?=\p{N})|(?<=\p{N}) (?=\p{L})/gu, "");

const UNIT = /^(.*?\d)\s*([A-Za-z\u00b0\u00b5\u03a9][A-Za-z\u00b0\u00b5\u03a9/^0-9]*)$/;

/** The same unit behind equal numbers; whatever else is not decided here. */
function compareQuantities(a: string, b: string, tolerance: bigint): Comparison {
  const [, x = "", unit = ""] = UNIT.exec(a) ?? [];
  const [, y = "", other = ""] = UNIT.exec(b) ?? [];
  const [left, right] = [readNumber(x), readNumber(y)];
  if (unit === "" || unit !== other || left === null || right === null) return "unknown";
  return compareNumbers(left, right, tolerance) === "equal" ? "equal" : "unknown";
}

const whether = (holds: boolean): Comparison => (holds ? "equal" : "different");

/** By the first form that either answer has; both must have it. */
function byForm(a: string, b: string, { tolerance }: Comparing): Comparison {
  const [x, y] = [readNumber(a), readNumber(b)];
  if (x !== null || y !== null) return x !== null && y !== null ? compareNumbers(x, y, tolerance) : "unknown";
  const [letter, other] = [choiceOf(a), choiceOf(b)];
  if (letter !== null && other !== null) return whether(letter === other);
  const [truth, claim] = [TRUTHS[a.toLowerCase()], TRUTHS[b.toLowerCase()]];
  if (truth !== undefined && claim !== undefined) {
    return truth[0] === claim[0] ? whether(truth[1] === claim[1]) : "unknown";
  }
  const [list, given] = [listOf(a), listOf(b)];
  if (list !== null && given !== null) return compareLists(list, given, tolerance);
  const [words, said] = [wordsOf(a), wordsOf(b)];
  if (words !== null && said !== null) return words === said ? "equal" : "unknown";
  if (a !== "" && bare(a) === bare(b)) return "equal";
  return compareQuantities(a, b, tolerance);
}

function asSet(a: string, b: string, { tolerance }: Comparing): Comparison {
  const itemsOf = (text: string) => listOf(text)?.items ?? numbersIn(text);
  const [x, y] = [itemsOf(a), itemsOf(b)];
  return x === null || y === null ? "unknown" : sameSet(x, y, tolerance);
}

/**
 * Compares a reference with a final answer. Exact rational arithmetic; of what is undecidable by
 * form (algebra, units, prose) it says `unknown`.
 */
export function compareAnswers(reference: string, answer: string, how: Comparing): Comparison {
  const [a, b] = [plainAnswer(reference), plainAnswer(answer)];
  if (a === null || b === null) return reference === answer ? "equal" : "unknown";
  if (a === "" || b === "") return "unknown";
  switch (how.type) {
    case "number": {
      const [x, y] = [readNumber(a), readNumber(b)];
      return x !== null && y !== null ? compareNumbers(x, y, how.tolerance) : compareQuantities(a, b, how.tolerance);
    }
    case "choice": {
      const [x, y] = [choiceOf(a.toUpperCase()), choiceOf(b.toUpperCase())];
      return x !== null && y !== null ? whether(x === y) : "unknown";
    }
    case "set":
      return asSet(a, b, how);
    case "text": {
      const [x, y] = [wordsOf(a), wordsOf(b)];
      return (x !== null && x === y) || bare(a) === bare(b) ? "equal" : "unknown";
    }
    default:
      return byForm(a, b, how);
  }
}
