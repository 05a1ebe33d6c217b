// The robust parser, which turns a verifier's generation into a verdict and is used for decisions. The strict
// parsers are in strict-verdict.ts.
import type { VerdictStatus } from "../contract/verdicts-reply.ts";
import { strip } from "../text/python-text.ts";
import { answerStart } from "../text/thinking.ts";
import { type Box, nextBox } from "./parsers/boxes.ts";

interface LetterVerdict {
  status: VerdictStatus;
  /** For example `A`; set only if the status is `ok`. */
  letter: string | null;
  /** 0-based index of the letter, less than `k`; set only if the status is `ok`. */
  index: number | null;
}

export interface ScoresVerdict {
  status: VerdictStatus;
  /** `k` integers in 0..10; set only if the status is `ok`. */
  scores: number[] | null;
}

/**
 * Parses the option letter of a generation, which must be one of the first `k` letters (formulas a.6,
 * "robust"). Accepts both a bare answer and a generation with think tags. Never reads thoughts: a think block
 * that is not closed gives `unclosed_think`. All boxes that contain a letter must agree, otherwise the status
 * is `ambiguous`; boxes without a letter are ignored if another box has one. Only the status `ok` is a
 * verdict. Linear time.
 */
export function parseLetter(answer: string, k: number): LetterVerdict {
  const start = answerStart(answer);
  if (start < 0) return { status: "unclosed_think", letter: null, index: null };
  let found = -1;
  let boxes = 0;
  for (let box = nextBox(answer, start); box !== null; box = nextBox(answer, box.end + 1)) {
    boxes++;
    const index = letterIndex(answer, box);
    if (index < 0) continue;
    if (found >= 0 && found !== index) return { status: "ambiguous", letter: null, index: null };
    found = index;
  }
  if (found < 0) return { status: boxes === 0 ? "no_box" : "bad_content", letter: null, index: null };
  if (found >= k) return { status: "out_of_range", letter: null, index: null };
  return { status: "ok", letter: letterAt(found), index: found };
}

/**
 * Parses the `k` scores of a generation, `\boxed{[s1,..,sk]}`, each an integer in 0..10. Follows the rules of
 * `parseLetter`: thoughts must be closed, all boxes that contain k integers must agree (otherwise
 * `ambiguous`), and other boxes are ignored if there is such a box. A wrong count or a value that is not an
 * integer is `bad_content`; an integer outside 0..10 is `out_of_range`. Linear time.
 */
export function parseScores(answer: string, k: number): ScoresVerdict {
  const start = answerStart(answer);
  if (start < 0) return { status: "unclosed_think", scores: null };
  let found: number[] | null = null;
  let boxes = 0;
  for (let box = nextBox(answer, start); box !== null; box = nextBox(answer, box.end + 1)) {
    boxes++;
    const scores = integersIn(answer.slice(box.start, box.end), k);
    if (scores === null) continue;
    if (found?.some((score, i) => score !== scores[i])) return { status: "ambiguous", scores: null };
    found = scores;
  }
  if (found === null) return { status: boxes === 0 ? "no_box" : "bad_content", scores: null };
  return scoresInRange(found);
}

/** Returns `A` for 0, `B` for 1, and so on. */
export function letterAt(index: number): string {
  return String.fromCharCode(65 + index);
}

/** Lowest and highest score in a score list. */
export const SCORE_RANGE = [0, 10] as const;

function scoresInRange(scores: number[]): ScoresVerdict {
  const [low, high] = SCORE_RANGE;
  return scores.every((score) => score >= low && score <= high)
    ? { status: "ok", scores }
    : { status: "out_of_range", scores: null };
}

/**
 * Maximum length of a letter or a score list. The limit also keeps hostile input away from NFKC, which takes
 * quadratic time on runs of combining marks.
 */
const CONTENT_CHARS_MAX = 256;
const LAYERS_MAX = 4;

const ASCII = /^[\0-\x7f]*$/;

/** TeX commands and switches that change only how a letter looks. */
const MACRO = /^\\(?:(?:text|math)[a-z]{0,8}|operatorname\*?|[mhf]box|emph|underline|boldsymbol|bm)\s*\{(.*)\}$/s;
const LEADING_WORD = /^(?:candidate|option|answer|\\(?:bf|it|rm|sf|tt)(?:series|family|shape)?(?![a-z]))[\s_:]*/i;
const WRAPPERS: readonly (readonly [string, string])[] = [
  ["[[", "]]"],
  ["{", "}"],
  ["[", "]"],
  ["(", ")"],
  ["**", "**"],
  ["`", "`"],
  ["$", "$"],
  ['"', '"'],
  ["'", "'"],
  ["\u201c", "\u201d"],
  ["\u2018", "\u2019"],
];

/** 0-based index of the only letter in a box; -1 if the box contains anything else. */
function letterIndex(text: string, { start, end }: Box): number {
  if (end === start + 1) {
    const unit = text.charCodeAt(start);
    if (unit < 0x80) return asciiLetterIndex(unit);
  }
  const inner = unwrap(text.slice(start, end));
  return inner?.length === 1 ? asciiLetterIndex(inner.charCodeAt(0)) : -1;
}

function asciiLetterIndex(unit: number): number {
  const index = (unit | 0x20) - 0x61;
  return unit >= 0x41 && index >= 0 && index < 26 ? index : -1;
}

/**
 * Normalises to NFKC, then removes up to four layers, each of which is a final dot, a leading word, or a pair
 * of wrappers. Returns null if the content is too long to be a verdict.
 */
function unwrap(content: string): string | null {
  const trimmed = strip(content);
  if (trimmed.length > CONTENT_CHARS_MAX) return null;
  let text = bare(ASCII.test(trimmed) ? trimmed : trimmed.normalize("NFKC"));
  for (let layer = 0; layer < LAYERS_MAX; layer++) {
    const inner = peel(text);
    if (inner === text) break;
    text = bare(inner);
  }
  return text;
}

function bare(text: string): string {
  const trimmed = strip(text);
  const undotted = trimmed.endsWith(".") ? strip(trimmed.slice(0, -1)) : trimmed;
  return strip(undotted.replace(LEADING_WORD, ""));
}

function peel(text: string): string {
  const macro = MACRO.exec(text);
  if (macro !== null) return macro[1] as string;
  for (const [open, close] of WRAPPERS) {
    if (text.length >= open.length + close.length && text.startsWith(open) && text.endsWith(close)) {
      return text.slice(open.length, text.length - close.length);
    }
  }
  return text;
}

/** Parses the `k` integers in a box; returns null for any other content. */
function integersIn(content: string, k: number): number[] | null {
  const parts = unwrap(content)?.split(",");
  if (parts?.length !== k) return null;
  const scores = parts.map((part) => integerIn(strip(part)));
  return scores.includes(null) ? null : (scores as number[]);
}

function integerIn(text: string): number | null {
  // `+ 0` turns the -0 of "-0" into 0.
  return /^[+-]?[0-9]+$/.test(text) ? Number(text) + 0 : null;
}
