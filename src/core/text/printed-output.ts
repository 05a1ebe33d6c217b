// Compares a program's output with the expected one, for every sandbox and for the CPU verifier.
// Lazy: stops at the first line or token that differs, so that an output of many megabytes
// costs no more than the expected one.
import { sameNumber, TOLERANCE } from "./decimal-tokens.ts";

/**
 * A line that is not empty, without trailing blanks, and the empty lines between it and the last such
 * line.
 */
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
  /** The blanks before it. */
  gap: string;
}

/** Longer tokens are text: a pattern's backtracking over them would overflow the engine's stack. */
const NUMBER_CHARS_MAX = 2_500_000;

/** By hand, without a pattern: a token, or the blanks before it, may be the whole output. */
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

/** White space as `\s` has it. */
const isBlank = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || (code >= 160 && /\s/.test(String.fromCharCode(code)));

/** A number within a printed list keeps its brackets and its comma. */
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

/** Between two numbers the count of blanks does not matter; next to a word it does. */
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
 * Whether an output is the expected one, line by line. Trailing blanks and empty lines at both ends
 * do not count. Two tokens that are both numbers compare by value: integers exactly, and where the
 * expected one has a fraction or an exponent within the tolerance; all else compares as text.
 * @param tolerance absolute or relative; null: numbers are text, too
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
