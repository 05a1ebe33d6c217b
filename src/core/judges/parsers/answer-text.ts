// The part of an answer that parsers read: what follows the thoughts, in compatibility form (NFKC), and its
// lines.

import { lazily } from "../../text/lazily.ts";
import { answerStart } from "../../text/thinking.ts";

/**
 * Matches short pieces of non-ASCII text, because NFKC takes quadratic time on runs of combining marks.
 * Excludes superscripts, fractions and circled digits, which NFKC would turn into ordinary digits: 3\u00b2 is
 * not 32, and 3\u00bd is not 31.
 */
const OTHERS = lazily(() => /[^\0-\x7f\p{No}]{1,64}/gu);

/**
 * Returns what follows the last end of thinking, normalised to NFKC in pieces. Returns null if a think block
 * is still open at the end of the answer. Linear time.
 */
export function segmentOf(answer: string): string | null {
  const start = answerStart(answer);
  if (start < 0) return null;
  return answer.slice(start).replace(OTHERS(), (piece) => piece.normalize("NFKC"));
}

/** Splits a segment into lines that end in LF, CR or CRLF. */
export const linesOf = (segment: string): string[] =>
  segment.includes("\r") ? segment.split(/\r\n|\r|\n/) : segment.split("\n");

/**
 * Returns a function from an offset to its line number. Offsets must ascend, so that all calls together take
 * linear time.
 */
export function lineCounter(segment: string): (offset: number) => number {
  let line = 0;
  let at = 0;
  return (offset) => {
    for (; at < offset; at++) {
      const unit = segment.charCodeAt(at);
      if (unit === 0x0a ? segment.charCodeAt(at - 1) !== 0x0d : unit === 0x0d) line++;
    }
    return line;
  };
}

const STRIPPED = " \t\r\n\v\f\u00a0`*_\"'\u201c\u201d\u2018\u2019.,;:!()";

const POINTED = /[.,][0-9]/y;

/**
 * Strips white space, quotes and punctuation from both ends. Keeps the leading point of a number such as .5.
 */
export function stripped(text: string): string {
  let start = 0;
  let end = text.length;
  for (; start < end && STRIPPED.includes(text[start] as string); start++) {
    POINTED.lastIndex = start;
    if (POINTED.test(text)) break;
  }
  while (end > start && STRIPPED.includes(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

/** Maximum length of a label. */
const LABEL_CHARS_MAX = 256;

const MACRO = /^\\(?:text|math)[a-z]{0,8}\s*\{(.*)\}$/s;
const LAYER = /^(?:\[(.*)\]|\{(.*)\}|\$(.*)\$)$/s;
/** Words that may precede a label. */
export const LEADING_WORDS = [
  ...["response", "assistant", "answer", "option", "candidate", "judgment", "judgement", "verdict"],
];
const WORD = new RegExp(`^(?:${LEADING_WORDS.join("|")})\\b[\\s_:]*(?=\\S)`, "i");
const LAYERS_MAX = 4;

/** Strips up to four layers of wrapping, and words before the label, from short contents. */
export function unwrapped(content: string): string {
  let text = stripped(content);
  if (text.length < 2 || text.length > LABEL_CHARS_MAX) return text;
  for (let layer = 0; layer < LAYERS_MAX; layer++) {
    const [, round, curly, money] = LAYER.exec(text) ?? [];
    const inner = MACRO.exec(text)?.[1] ?? round ?? curly ?? money ?? text.replace(WORD, "");
    if (inner === text) break;
    text = stripped(inner);
  }
  return text;
}
