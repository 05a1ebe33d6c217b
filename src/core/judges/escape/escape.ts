// Escapes model text for a prompt, and restores the original text.

import { skeletonOf } from "../../text/look-alikes.ts";
import { OPENERS } from "./dangers.ts";
import { HIDDEN_CLASS, JOINER } from "./trail.ts";

const HIDDEN = new RegExp(`^[${HIDDEN_CLASS}]$`, "u");
const HIDDEN_OR_SHOWN = new RegExp(`[${HIDDEN_CLASS}]|<(?=U\\+[0-9A-F]{4,6}>)`, "gu");

/**
 * Writes a hidden character as `<U+202E>`. Text that already looks like this gets two joiners, so that
 * unescaping can distinguish both.
 */
function showHidden(text: string): string {
  return text.replace(HIDDEN_OR_SHOWN, (match) => {
    if (match === "<") return `<${JOINER}${JOINER}`;
    const code = (match.codePointAt(0) as number).toString(16).toUpperCase();
    return `<U+${code.padStart(4, "0")}>`;
  });
}

/** Inserts a joiner after every character whose skeleton matches an opener. */
function breakOpeners(text: string): string {
  const skeleton = skeletonOf(text);
  const { ends } = skeleton;
  if (ends === null) return text.replace(OPENERS, (first) => first + JOINER);
  let broken = "";
  let from = 0;
  for (const { index } of skeleton.text.matchAll(OPENERS)) {
    const end = ends[index] as number;
    // If a single character looks like two openers, one joiner breaks both.
    if (end === from) continue;
    broken += text.slice(from, end) + JOINER;
    from = end;
  }
  return broken + text.slice(from);
}

export type Escape = (text: string) => string;

/**
 * Escapes model text so that it cannot close its block, imitate a chat token or a verdict, or hide
 * characters. Dangerous text is broken by a word joiner after its first character, at any position. Joiners
 * in the original text are written out like other hidden characters, and dangerous text contains no joiner,
 * so none of it remains in the result. `unescapeText` is the exact inverse. Linear time.
 */
export const escapeText: Escape = (text) => breakOpeners(showHidden(text));

/** Escapes a string for use in a regular expression. */
const quoted = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/**
 * Creates an escape function that also breaks the given tokens literally: the special tokens of the engine's
 * tokenizer. Single-character tokens cannot be broken; `survivors` returns the tokens that remain.
 */
export function createEscape(tokens: readonly string[], base: Escape = escapeText): Escape {
  const rests = new Map<string, string[]>();
  for (const token of new Set(tokens)) {
    const [first = "", ...rest] = token;
    if (rest.length === 0 || isBroken(base, token)) continue;
    const known = rests.get(first);
    if (known === undefined) rests.set(first, [quoted(rest.join(""))]);
    else known.push(quoted(rest.join("")));
  }
  if (rests.size === 0) return base;
  const patterns = [...rests].map(([first, ends]) => `${quoted(first)}(?=${ends.join("|")})`);
  const openers = new RegExp(patterns.join("|"), "gu");
  return (text) => base(text).replace(openers, (first) => first + JOINER);
}

/**
 * Tests a token both by itself and within a line, because a turn header is broken only at the start of a
 * line.
 */
const isBroken = (breaks: Escape, token: string): boolean =>
  !breaks(token).includes(token) && !breaks(`a ${token}`).includes(token);

/** Returns the tokens that would reach a prompt unbroken. */
export const survivors = (breaks: Escape, tokens: readonly string[]): string[] =>
  tokens.filter((token) => !isBroken(breaks, token));

const JOINED = `${JOINER}?`;
/** Matches written-out hidden characters, text that only looked like one, and single joiners. */
const ESCAPED = new RegExp(`<(${JOINER}*)U${JOINED}\\+${JOINED}((?:[0-9A-F]${JOINED}){4,6})>|${JOINER}`, "g");

/** Restores the text that was passed to `escapeText`, or to an escape function that breaks more tokens. */
export function unescapeText(text: string): string {
  if (!text.includes("<") && !text.includes(JOINER)) return text;
  return text.replace(ESCAPED, (match, joiners: string | undefined, digits: string) => {
    if (joiners === undefined) return "";
    const code = Number.parseInt(digits.replaceAll(JOINER, ""), 16);
    const character = joiners.length > 1 || code > 0x10ffff ? "" : String.fromCodePoint(code);
    return HIDDEN.test(character) ? character : match.replaceAll(JOINER, "");
  });
}
