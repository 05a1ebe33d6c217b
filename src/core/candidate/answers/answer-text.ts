// The plain form of a final answer, without decoration by TeX, Markdown and typography.

import { lazily } from "../../text/lazily.ts";
import { strip } from "../../text/python-text.ts";

/** A longer string is not a final answer that rules could compare. */
const ANSWER_CHARS_MAX = 1024;
const LAYERS_MAX = 8;

const MACRO = /^\\(?:boxed|fbox|text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|it|sf|tt)|mbox|operatorname)\s*(?=\{)/;
const PAIRS: readonly (readonly [string, string])[] = [
  ["$$", "$$"],
  ["$", "$"],
  ["\\(", "\\)"],
  ["\\[", "\\]"],
];

/** Returns the content of the braces if the last brace closes the first one, else null. */
function braced(text: string): string | null {
  if (!text.startsWith("{") || !text.endsWith("}") || text.endsWith("\\}")) return null;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at === text.length - 1 ? text.slice(1, -1) : null;
  }
  return null;
}

function peeled(text: string): string {
  const macro = MACRO.exec(text);
  const inner = braced(macro === null ? text : text.slice(macro[0].length));
  if (inner !== null) return inner;
  for (const [open, close] of PAIRS) {
    const body = text.slice(open.length, text.length - close.length);
    if (
      text.length > open.length + close.length &&
      text.startsWith(open) &&
      text.endsWith(close) &&
      !body.includes("$")
    ) {
      return body;
    }
  }
  return text.endsWith(".") ? text.slice(0, -1) : text;
}

const SUPERSCRIPTS = /[\u207a\u207b]?[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+/g;
const VULGAR = /^(\d+)\u2044(\d+)$/;
const LETTER = lazily(() => /^[\p{Lu}\p{Ll}\p{Lo}]$/u);
/**
 * Characters that are never normalised: mathematical letters are separate names, and ordinal indicators are
 * superscripts.
 */
const OWN_LETTER = lazily(() => /[\p{Math}\u00aa\u00ba]/u);
const DIGIT = lazily(() => /\p{Nd}$/u);
const THREE_DIGITS = lazily(() => /^\p{Nd}{3}(?!\p{Nd})/u);

/** Writes a superscript number as a power. */
function power(superscripts: string): string {
  const digits = superscripts.normalize("NFKC").replace("\u2212", "-");
  return digits.length === 1 ? `^${digits}` : `^{${digits}}`;
}

/**
 * Normalises a character if its canonical form is the same letter, digit, mark or fraction, as for full-width
 * forms. Compatibility forms that change the value (subscripts, circled numbers, Roman numerals, unit
 * symbols) are kept and equal only themselves.
 */
function undressed(sign: string, before: string, behind: string): string {
  const form = sign.normalize("NFKC");
  const [, top, bottom] = VULGAR.exec(form) ?? [];
  if (top !== undefined) return `\\frac{${top}}{${bottom}}`;
  if (/^\p{Nd}$/u.test(sign)) return /^[0-9]$/.test(form) ? form : sign;
  if (LETTER().test(sign)) return OWN_LETTER().test(sign) || !/^[\p{L}\p{M}]+$/u.test(form) ? sign : form;
  // Between digits, a space or comma may be a thousands separator or may separate two numbers.
  const apart = DIGIT().test(before) && /^\p{Nd}/u.test(behind);
  if (/^\p{Zs}$/u.test(sign)) return apart ? sign : " ";
  if (sign === "\uff0c" && DIGIT().test(before) && THREE_DIGITS().test(behind)) return sign;
  return /^[\uff01-\uff5e]$/.test(sign) ? form : sign;
}

/** Normalises characters that differ only in appearance. */
function plainSigns(given: string): string {
  const text = given.normalize("NFC").replaceAll("\u2212", "-").replace(SUPERSCRIPTS, power);
  return text.replace(/[^\0-\x7f]/gu, (sign, at: number) =>
    undressed(sign, text.slice(Math.max(0, at - 2), at), text.slice(at + sign.length, at + sign.length + 8)),
  );
}

/** Whether there is anything to compare. An answer that consists only of punctuation has no content. */
export const hasContent = (plain: string): boolean => /[\p{L}\p{N}]|[^\0-\x7f]/u.test(plain);

const EMPTY_SETS: ReadonlySet<string> = new Set(["\\emptyset", "\\varnothing", "\u2205", "\\{\\}"]);

/** Whether an answer is the empty set, in mathematical or TeX notation or as bare braces. */
export function isEmptySet(given: string): boolean {
  const plain = plainAnswer(given);
  return plain === "" ? given.trim() === "{}" : plain !== null && EMPTY_SETS.has(plain.replace(/\s/g, ""));
}

/** Numbers with TeX thousands separators: `1{,}234`, `1,\!234`, `1\,234`, `1\ 234`. */
const THOUSANDS =
  /(?<![\d.}!]|\d,|\\[ ,])[1-9]\d{0,2}(?:(?:(?:\{,\}|,\\!|\{,\}\\!)\d{3})+|(?:(?:\{?\\,\}?|\\ |\\!|[\u2009\u202f\u00a0])\d{3})+)(?!\d|,\d|\{,\}|,?\\[ ,!]\s*\d)/g;

/** `**` between two operands is a power; elsewhere it is Markdown. */
const STARS = lazily(() => /(?<=[\p{L}\p{N})\]}])( ?)\*\*\1(?=[\p{L}\p{N}([{\\+-])/gu);

/**
 * Returns an answer in plain form. Normalises characters and the minus sign; removes Markdown's `**`,
 * backquotes, spacing commands, `\left` and `\right`; then removes layers of dollar signs, `\boxed`, `\text`,
 * braces and a final dot. Returns null if the input is too long to be a final answer.
 */
export function plainAnswer(given: string): string | null {
  if (given.length > ANSWER_CHARS_MAX) return null;
  let text = plainSigns(given.replace(THOUSANDS, (digits) => digits.replace(/[^\d]/g, "")))
    .replace(/\\(?:left|right)(?![a-z])/gi, "")
    // Between digits, a thin space may separate two numbers. A double backslash ends a row.
    .replace(/(?<![\d\\])\\[,;:!]|(?<!\\)\\[,;:!](?!\d)|(?<!\\)\\ |\\q?quad(?![a-z])/g, " ")
    .replace(/\\[dtc]frac(?![a-z])/g, "\\frac")
    .replace(STARS(), "^")
    .replace(/\*{2}|`/g, " ");
  for (let layer = 0; layer < LAYERS_MAX; layer++) {
    const inner = peeled(strip(text));
    if (inner === text) break;
    text = inner;
  }
  return strip(text);
}
