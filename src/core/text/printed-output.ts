// Compares a program's output with the expected output, for all sandboxes and the CPU verifier. Lazy: stops
// at the first line or token that differs, so that an output of many megabytes costs no more than the
// expected output.
import { sameNumber, TOLERANCE } from "./decimal-tokens.ts";

/** A non-empty line without trailing white space, and the number of empty lines before it. */
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
  /** White space before the token. */
  gap: string;
}

/**
 * Longer tokens are compared as strings, because a regular expression that backtracks over them would
 * overflow the stack.
 */
const NUMBER_CHARS_MAX = 2_500_000;

/**
 * Splits a line into tokens. Uses no regular expression, because a single token or gap may be megabytes long.
 */
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

/** Compares two lines. White space between two numbers may differ in length, but not next to a word. */
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
 * Whether an output equals the expected output, line by line. Ignores trailing white space, and empty lines
 * at both ends. Numbers are compared by value: exactly if the expected number is an integer, and within the
 * tolerance if it has a fraction or an exponent. Other tokens are compared as strings.
 * @param tolerance absolute or relative tolerance; null means that numbers are compared as strings too
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
