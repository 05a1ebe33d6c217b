// Detects openers, which only announce an answer. Verifiers have been found to reward such texts by
// mistake ("One Token to Fool LLM-as-a-Judge", arXiv 2507.08794).

import { lazily } from "../text/lazily.ts";
import { skeletonOf } from "../text/look-alikes.ts";
import { ANNOUNCING_WORDS, JOINING_PIECES, JOINING_WORDS, PIECES_OF_SCRIPTS } from "./opener-words.ts";

/** TeX commands for layout, which add no content, such as \boxed or \textbf. */
const LATEX =
  /\\(?:boxed|fbox|text(?:bf|it|rm)?|math(?:bf|rm|it)?|left|right|quad|displaystyle|(?:sub){0,2}section\*?|(?:sub)?paragraph\*?|begin\{\w{1,16}\*?\}|end\{\w{1,16}\*?\})(?![A-Za-z])/iuy;
/** Escaped braces, which TeX shows as an empty set. Plain braces only group. */
const EMPTY_SET = /\\\{\s{0,8}\\\}/y;
/** The line that opens a code block. */
const FENCE = /(?:`{3,}|~{3,})[ \t]{0,8}[\w+#.-]{1,24}(?=\n)/y;
/** HTML tags for layout. A page made up only of these tags may be the requested answer. */
const TAG = /<\/?(?:b|i|u|em|strong|p|br|hr|div|span|center|h[1-6])\s?\/?>/iy;
/** Characters between words. Only layout symbols are included, because any other symbol may be the answer. */
const BETWEEN = lazily(() => /[^\p{L}\p{N}\p{M}\p{S}\\]|[*_`~|$^+=<>\\\ufffd]|\p{Sk}|\p{So}/uy);
/** Letters of scripts without spaces between words. */
const UNSPACED = lazily(
  () => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\u30fc\p{M}]+/uy,
);
const WORD = lazily(() => /[\p{L}\p{M}]+(?:['\u2019-][\p{L}\p{M}]+)*/uy);
/** The number of the first step or of the first list item. */
const STEP_NUMBER = lazily(
  () =>
    /(?<=(?:step|part|schritt|paso|passo|etape|stap|krok|langkah)\s{0,2})1(?![\p{L}\p{N}])|(?<=^[^\p{L}\p{N}\n]{0,16})1[.)](?=\s{0,4}[\p{L}*_#])/imuy,
);
/**
 * `pas à pas` (step by step) in French and Catalan. By itself, `pas` is a negation, and `pas de solution` is
 * an answer.
 */
const PACE = lazily(() => /pas-? ?[a\u00e0]-? ?pas(?![\p{L}\p{N}])/uy);
/** Words that, like a colon, come before the announced answer. */
const ANSWERING = /^(?:is|are|es|est|ist|\u662f|jest|ar)$/;
/**
 * Up to this many joining words after a colon may be the answer. More of them only continue the announcement.
 */
const ANSWER_WORDS_MAX = 3;
/**
 * A symbol that is the whole answer after a colon or "is". Empty brackets count too, because a program may
 * return an empty list. Empty braces after `$` do not count, because TeX shows nothing.
 */
const LONE_SIGN = lazily(
  () => /(?::|(?<![\p{L}\p{M}])is)[ \t*_`"'$]{0,8}(?:[+<>=/%]|\[\]|\(\)|(?<!\$)\{\})[ \t*_`"'$.]*$/mu,
);
/** In any language: a single line of words that ends with a colon. */
const ANNOUNCED = lazily(() => /^[\s#>*_~`-]*[\p{L}\p{M}][\p{L}\p{M}'\u2019 -]{1,60}[*_~`]{0,3}\s?:[\s*_~`]*$/u);

/** Number of characters that are checked first, because most answers already have content there. */
const HEAD_CHARS = 256;
/** Letters separated by single spaces. */
const SPACED = lazily(() => /(?<![\p{L}\p{N}])(?:\p{L} ){3,}\p{L}(?![\p{L}\p{N}])/gu);
const UNSEEN = lazily(() => /[\p{Cf}\p{DI}]/gu);

/** The text in lower case, without invisible characters, and with look-alike characters unified. */
const look = (text: string): string =>
  skeletonOf(text.replace(UNSEEN(), "").toLowerCase()).text.replaceAll("\u2019", "'").toLowerCase();

const looks = (words: readonly string[]): ReadonlySet<string> => new Set(words.map(look));
interface OpenerWords {
  announcing: ReadonlySet<string>;
  joining: ReadonlySet<string>;
  pieces: ReadonlySet<string>;
  joins: ReadonlySet<string>;
  piece_chars_max: number;
}

let words: OpenerWords | null = null;

/** Built on first use, because building the word sets takes a tenth of a Worker's start-up time. */
function openerWords(): OpenerWords {
  if (words !== null) return words;
  const [pieces, joins] = [looks(PIECES_OF_SCRIPTS), looks(JOINING_PIECES)];
  const piece_chars_max = Math.max(...[...pieces, ...joins].map(({ length }) => length));
  words = { announcing: looks(ANNOUNCING_WORDS), joining: looks(JOINING_WORDS), pieces, joins, piece_chars_max };
  return words;
}

/**
 * Whether the input consists only of openers, punctuation and layout, such as `Solution`, `**Answer:**`,
 * `Let's solve this step by step.`, `\boxed{}`, or several of these in a row. Content is a number, a single
 * letter (a choice) or any word that does not announce an answer. Linear time; stops at the first content.
 */
export function isOpener(given: string): boolean {
  if (given.length > HEAD_CHARS && saysNothing(look(given.slice(0, HEAD_CHARS)), true) === false) return false;
  const text = look(given);
  if (ANNOUNCED().test(text)) return true;
  const joined = text.replace(SPACED(), (letters) => letters.replaceAll(" ", ""));
  return saysNothing(joined, false) === true && !LONE_SIGN().test(joined);
}

/**
 * Returns true for an opener, false for content, and null for text that neither announces an answer nor has
 * content.
 * @param cut whether the text is only the beginning of a longer text
 */
function saysNothing(text: string, cut: boolean): boolean | null {
  let announces = false;
  let empty = true;
  /**
   * Number of joining words since the last position after which an answer may follow; null if there is no
   * such position.
   */
  let behind: number | null = null;
  const answered = () => behind !== null && behind > 0 && behind <= ANSWER_WORDS_MAX;
  let at = 0;
  const takes = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    at += found?.length ?? 0;
    return found;
  };
  while (at < text.length) {
    if (takes(TAG) !== null) {
      empty = false;
      continue;
    }
    if (takes(EMPTY_SET) !== null) return false;
    if (takes(FENCE) !== null || takes(LATEX) !== null || takes(STEP_NUMBER()) !== null || takes(PACE()) !== null)
      continue;
    const mark = takes(BETWEEN());
    if (mark !== null) {
      if (mark === "\n" && answered()) return false;
      if (mark === "\n") behind = announces ? 0 : null;
      if (mark === ":") behind = 0;
      continue;
    }
    empty = false;
    const run = takes(UNSPACED());
    const word = run ?? takes(WORD());
    if (word === null) return false;
    const kind = run === null ? kindOf(word) : kindOfRun(run);
    if (kind === null || (isLetter(word) && !/^ [\p{L}\p{M}]/u.test(text.slice(at, at + 3)) && run === null)) {
      return cut && at === text.length ? null : false;
    }
    if (kind === "announces") announces = true;
    if (kind === "announces") behind = null;
    else if (behind !== null) behind++;
    else if (ANSWERING.test(word)) behind = 0;
  }
  if (answered() && !cut) return false;
  return announces || empty || null;
}

type OpenerKind = "announces" | "joins" | null;

function kindOf(word: string): OpenerKind {
  const { announcing, joining } = openerWords();
  if (announcing.has(word)) return "announces";
  if (joining.has(word) || isLetter(word)) return "joins";
  const kinds = word.includes("-") ? word.split("-").map(kindOf) : [null];
  if (kinds.includes(null)) return null;
  return kinds.includes("announces") ? "announces" : "joins";
}

const isLetter = (word: string): boolean => /^\p{L}$/u.test(word);

/** Classifies a run of letters without spaces. The whole run must split into pieces of openers. */
function kindOfRun(text: string): OpenerKind {
  const { pieces, joins, piece_chars_max } = openerWords();
  // Positions reached so far. The value is whether the pieces before the position announce an answer.
  const reached = new Map<number, boolean>([[0, false]]);
  for (let at = 0; at < text.length; at++) {
    const announces = reached.get(at);
    reached.delete(at);
    if (announces === undefined) {
      if (reached.size === 0) return null;
      continue;
    }
    for (let chars = 1; chars <= piece_chars_max; chars++) {
      const piece = text.slice(at, at + chars);
      if (!pieces.has(piece) && !joins.has(piece)) continue;
      const end = at + chars;
      if (end <= text.length) reached.set(end, (reached.get(end) ?? false) || announces || !joins.has(piece));
    }
  }
  const announces = reached.get(text.length);
  return announces === undefined ? null : announces ? "announces" : "joins";
}
