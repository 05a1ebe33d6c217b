// The strict parsers for training rewards: the literal content of a verdict, and whether its form is exact.
// Decisions use verdict.ts instead.
import { LIMITS } from "../faults/limits.ts";
import { PYTHON_SPACE_CLASS, parsePythonIntList, stripEnd, stripStart } from "../text/python-text.ts";

/** `think`: thoughts in think tags, followed only by the box. `cot`: free text that ends with the box. */
export type VerdictStyle = "think" | "cot";

const OPEN = "<think>";
const CLOSE = "</think>";
const BOX = "\\boxed{";

/**
 * Content of the first `\boxed{(.*?)}` at or after `from`: the shortest match, without line feeds or nesting.
 * null if there is none. Linear time: the closing brace is searched for only once, and a line feed rules out
 * every box that was opened before it.
 */
export function firstBox(text: string, from: number): string | null {
  let close = -1;
  for (let open = text.indexOf(BOX, from); open >= 0; ) {
    const start = open + BOX.length;
    if (close < start) close = text.indexOf("}", start);
    if (close < 0) return null;
    const feed = text.indexOf("\n", start);
    if (feed < 0 || feed > close) return text.slice(start, close);
    open = text.indexOf(BOX, feed + 1);
  }
  return null;
}

/** Offset after the last `</think>`; 0 if there is none. */
export function behindThoughts(text: string): number {
  const close = text.lastIndexOf(CLOSE);
  return close < 0 ? 0 : close + CLOSE.length;
}

/**
 * The content that the training reward takes as the verdict. `think` reads what follows the thoughts, and
 * `cot` reads the whole answer (formulas a.2).
 */
export function strictContent(text: string, style: VerdictStyle): string | null {
  return firstBox(text, style === "think" ? behindThoughts(text) : 0);
}

/**
 * The list of integers in the strict verdict, parsed as a Python literal; null if there is none. Lists with
 * more entries than the maximum number of candidates are rejected.
 */
export function strictScores(text: string, style: VerdictStyle): bigint[] | null {
  const content = strictContent(text, style);
  return content === null ? null : parsePythonIntList(content, LIMITS.verdict_candidates_max);
}

/**
 * Whether the answer has the exact form of a verdict that names one of the first `k` letters (formulas a.2).
 */
export function isLetterForm(text: string, k: number, style: VerdictStyle): boolean {
  const end = stripEnd(text);
  const box = end - BOX.length - "X}".length;
  const place = text.charCodeAt(end - 2) - 65;
  if (!(box >= 0 && place >= 0 && place < k) || text[end - 1] !== "}" || !text.startsWith(BOX, box)) return false;
  return style === "cot" || isThoughtsOnly(text, box);
}

/**
 * Whether the answer has the exact form of a verdict with `k` scores: only digits, and white space only after
 * commas (formulas a.3, a.5).
 */
export function isScoresForm(text: string, k: number, style: VerdictStyle): boolean {
  const end = stripEnd(text);
  const box = text.lastIndexOf(BOX, end);
  if (box < 0 || !scoresPattern(k).test(text.slice(box + BOX.length, end))) return false;
  return style === "cot" || isThoughtsOnly(text, box);
}

const patterns = new Map<number, RegExp>();

/** Matches digits like Python's `\d`, which accepts every decimal digit of Unicode. */
function scoresPattern(k: number): RegExp {
  let pattern = patterns.get(k);
  if (pattern === undefined) {
    pattern = new RegExp(`^\\[\\p{Nd}+(?:,[${PYTHON_SPACE_CLASS}]*\\p{Nd}+){${k - 1}}\\]\\}$`, "u");
    patterns.set(k, pattern);
  }
  return pattern;
}

/**
 * Whether text[..end), stripped, consists of `<think>`, then text without another `<think>`, then `</think>`.
 * There must also be no `<think>` after `end`.
 */
function isThoughtsOnly(text: string, end: number): boolean {
  const start = stripStart(text);
  if (!text.startsWith(OPEN, start)) return false;
  const stop = stripEnd(text, end);
  const inside = start + OPEN.length;
  return stop - CLOSE.length >= inside && text.endsWith(CLOSE, stop) && text.indexOf(OPEN, inside) < 0;
}
