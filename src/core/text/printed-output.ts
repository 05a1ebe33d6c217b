// Compares a program's output with the expected output, for all sandboxes and the CPU verifier. Lazy: stops
// at the first line or token that differs, so an output of many megabytes costs no more than the expected
// one.
import { sameNumber, TOLERANCE } from "./decimal-tokens.ts";

/** A non-empty line without trailing blanks, and the number of empty lines before it. */
interface Line {
  text: string;
  empty: number;
}

function* linesIn(text: string): Generator<Line, undefined> {
  const shown = text.trimEnd();
  let empty = 0;
  for (let at = shown.lastIndexOf("\n", shown.length - shown.trimStart().length) + 1; at < shown.length; ) {
    const feed = shown.indexOf("\n", at);
    const end = feed < 0 ? shown.length : feed;
    const line = shown.slice(at, end).trimEnd();
    at = end + 1;
    if (line === "") {
      empty++;
      continue;
    }
    yield { text: line, empty };
    empty = 0;
  }
  return undefined;
}

interface PrintedToken {
  text: string;
  /** The blanks before the token. */
  gap: string;
}

/**
 * Longer tokens are compared as text, because backtracking over them would overflow the regular expression
 * engine's stack.
 */
const NUMBER_CHARS_MAX = 2_500_000;

/** Splits a line into tokens. Uses no regular expression, because one token or gap may be megabytes long. */
function* tokensIn(line: string): Generator<PrintedToken, undefined> {
  let end = 0;
  for (;;) {
    let start = end;
    while (start < line.length && isBlank(line.charCodeAt(start))) start++;
    if (start === line.length) return undefined;
    const gap = line.slice(end, start);
    end = start;
    while (end < line.length && !isBlank(line.charCodeAt(end))) end++;
    yield { text: line.slice(start, end), gap };
  }
}

/** Whether a code unit matches `\s`. */
const isBlank = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || (code >= 160 && /\s/.test(String.fromCharCode(code)));

/** A number in a printed list, with its brackets and comma. */
const LISTED = /^([[({]*)([^\s[\](){},;]+)([\])},;]*)$/;

function sameToken(expected: string, actual: string, tolerance: number): boolean {
  if (expected === actual) return true;
  if (expected.length > NUMBER_CHARS_MAX || actual.length > NUMBER_CHARS_MAX) return false;
  if (sameNumber(expected, actual, tolerance)) return true;
  const [, open, number, close] = LISTED.exec(expected) ?? [];
  if (number === undefined || number === expected) return false;
  const [, opened, other = "", closed] = LISTED.exec(actual) ?? [];
  return open === opened && close === closed && sameNumber(number, other, tolerance);
}

const isNumber = (token: string) => token.length <= NUMBER_CHARS_MAX && sameNumber(token, token, 0);

/** Compares two lines. The number of blanks between two numbers does not matter; next to a word it does. */
function sameLine(expected: string, actual: string, tolerance: number): boolean {
  const [wanted, given] = [tokensIn(expected), tokensIn(actual)];
  let isAfterWord = false;
  for (;;) {
    const [a, b] = [wanted.next().value, given.next().value];
    if (a === undefined || b === undefined) return a === b;
    const isWord = !isNumber(a.text);
    if ((isWord || isAfterWord) && a.gap !== b.gap) return false;
    if (!sameToken(a.text, b.text, tolerance)) return false;
    isAfterWord = isWord;
  }
}

/**
 * Whether an output equals the expected one, line by line. Ignores trailing blanks, and empty lines at both
 * ends. Two numbers compare by value: integers exactly, and within the tolerance if the expected number has a
 * fraction or an exponent. Other tokens compare as text.
 * @param tolerance absolute or relative; null: numbers also compare as text
 */
export function sameOutput(expected: string, actual: string, tolerance: number | null = TOLERANCE): boolean {
  const [wanted, given] = [linesIn(expected), linesIn(actual)];
  for (;;) {
    const [a, b] = [wanted.next().value, given.next().value];
    if (a === undefined || b === undefined) return a === b;
    if (a.empty !== b.empty) return false;
    if (a.text !== b.text && (tolerance === null || !sameLine(a.text, b.text, tolerance))) return false;
  }
}
