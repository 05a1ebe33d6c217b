// The plain form of a final answer: what TeX, Markdown and typography only decorate is taken off.
import { strip } from "../../text/python-text.ts";

/** Longer texts are not final answers that rules could decide. */
const ANSWER_CHARS_MAX = 1024;
const LAYERS_MAX = 8;

const MACRO = /^\\(?:boxed|fbox|text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|it|sf|tt)|mbox|operatorname)\s*(?=\{)/;
const PAIRS: readonly (readonly [string, string])[] = [
  ["$$", "$$"],
  ["$", "$"],
  ["\\(", "\\)"],
  ["\\[", "\\]"],
];

/** The text between the braces when the first is closed by the last, else null. */
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
const LETTER = /^[\p{Lu}\p{Ll}\p{Lo}]$/u;
/** Letters of mathematics are separate names, and an ordinal's is a superscript. */
const OWN_LETTER = /[\p{Math}\u00aa\u00ba]/u;
const DIGIT = /\p{Nd}$/u;
const THREE_DIGITS = /^\p{Nd}{3}(?!\p{Nd})/u;

/** A superscript number as a power. */
function power(superscripts: string): string {
  const digits = superscripts.normalize("NFKC").replace("\u2212", "-");
  return digits.length === 1 ? `^${digits}` : `^{${digits}}`;
}

/**
 * A sign in the form that all have, where that is the same letter, digit, mark or fraction in
 * another dress. Compatibility forms that change the value (subscripts, circled numbers, Roman
 * numerals, units in one sign) stay as they are, and are equal to themselves alone.
 */
function undressed(sign: string, before: string, behind: string): string {
  const form = sign.normalize("NFKC");
  const [, top, bottom] = VULGAR.exec(form) ?? [];
  if (top !== undefined) return `\\frac{${top}}{${bottom}}`;
  if (/^\p{Nd}$/u.test(sign)) return /^[0-9]$/.test(form) ? form : sign;
  if (LETTER.test(sign)) return OWN_LETTER.test(sign) || !/^[\p{L}\p{M}]+$/u.test(form) ? sign : form;
  // Between digits a space or a comma of another writing may set thousands apart, or two numbers.
  const apart = DIGIT.test(before) && /^\p{Nd}/u.test(behind);
  if (/^\p{Zs}$/u.test(sign)) return apart ? sign : " ";
  if (sign === "\uff0c" && DIGIT.test(before) && THREE_DIGITS.test(behind)) return sign;
  return /^[\uff01-\uff5e]$/.test(sign) ? form : sign;
}

/** Plain signs; those that only look different are made the same, and no other. */
function plainSigns(given: string): string {
  const text = given.normalize("NFC").replaceAll("\u2212", "-").replace(SUPERSCRIPTS, power);
  return text.replace(/[^\0-\x7f]/gu, (sign, at: number) =>
    undressed(sign, text.slice(Math.max(0, at - 2), at), text.slice(at + sign.length, at + sign.length + 8)),
  );
}

/** Whether there is anything to compare: a text of marks alone is not an answer. */
export const hasContent = (plain: string): boolean => /[\p{L}\p{N}]|[^\0-\x7f]/u.test(plain);

const EMPTY_SETS: ReadonlySet<string> = new Set(["\\emptyset", "\\varnothing", "\u2205", "\\{\\}"]);

/** Whether it is the empty set, as mathematics, TeX, or bare braces write it. */
export function isEmptySet(given: string): boolean {
  const plain = plainAnswer(given);
  return plain === "" ? given.trim() === "{}" : plain !== null && EMPTY_SETS.has(plain.replace(/\s/g, ""));
}

/** Thousands set apart as TeX does: `1{,}234`, `1,\!234`, `1\,234`, `1\ 234`. */
const THOUSANDS =
  /(?<![\d.}!]|\d,|\\[ ,])[1-9]\d{0,2}(?:(?:(?:\{,\}|,\\!|\{,\}\\!)\d{3})+|(?:(?:\{?\\,\}?|\\ |\\!|[\u2009\u202f\u00a0])\d{3})+)(?!\d|,\d|\{,\}|,?\\[ ,!]\s*\d)/g;

/** `**` between two operands is a power; else it is Markdown's. */
const STARS = /(?<=[\p{L}\p{N})\]}])( ?)\*\*\1(?=[\p{L}\p{N}([{\\+-])/gu;

/**
 * Plain signs and a hyphen for the minus sign; Markdown's `**`, backquotes, spacing commands,
 * `\left` and `\right` gone; then layers of dollars, `\boxed`, `\text`, braces and a final dot taken
 * off. null for a text too long to be a final answer.
 */
export function plainAnswer(given: string): string | null {
  if (given.length > ANSWER_CHARS_MAX) return null;
  let text = plainSigns(given.replace(THOUSANDS, (digits) => digits.replace(/[^\d]/g, "")))
    .replace(/\\(?:left|right)(?![a-z])/gi, "")
    // Between digits a thin space may set two numbers apart. A double backslash ends a row.
    .replace(/(?<![\d\\])\\[,;:!]|(?<!\\)\\[,;:!](?!\d)|(?<!\\)\\ |\\q?quad(?![a-z])/g, " ")
    .replace(/\\[dtc]frac(?![a-z])/g, "\\frac")
    .replace(STARS, "^")
    .replace(/\*{2}|`/g, " ");
  for (let layer = 0; layer < LAYERS_MAX; layer++) {
    const inner = peeled(strip(text));
    if (inner === text) break;
    text = inner;
  }
  return strip(text);
}
