// How model text is made harmless for a prompt, and how the text is had back.

import { skeletonOf } from "../../text/look-alikes.ts";
import { OPENERS } from "./dangers.ts";
import { HIDDEN_CLASS, JOINER } from "./trail.ts";

const HIDDEN = new RegExp(`^[${HIDDEN_CLASS}]$`, "u");
const HIDDEN_OR_SHOWN = new RegExp(`[${HIDDEN_CLASS}]|<(?=U\\+[0-9A-F]{4,6}>)`, "gu");

/**
 * A hidden character as `<U+202E>`; text that looks like that already takes two joiners, so that the two can
 * be distinguished.
 */
function showHidden(text: string): string {
  return text.replace(HIDDEN_OR_SHOWN, (match) => {
    if (match === "<") return `<${JOINER}${JOINER}`;
    const code = (match.codePointAt(0) as number).toString(16).toUpperCase();
    return `<U+${code.padStart(4, "0")}>`;
  });
}

/** Puts a joiner behind every character of `text` at whose skeleton's place an opener matches. */
function breakOpeners(text: string): string {
  const skeleton = skeletonOf(text);
  const { ends } = skeleton;
  if (ends === null) return text.replace(OPENERS, (first) => first + JOINER);
  let broken = "";
  let from = 0;
  for (const { index } of skeleton.text.matchAll(OPENERS)) {
    const end = ends[index] as number;
    // Two openers that one character looks like are broken by one joiner.
    if (end === from) continue;
    broken += text.slice(from, end) + JOINER;
    from = end;
  }
  return broken + text.slice(from);
}

export type Escape = (text: string) => string;

/**
 * Makes model text unable to close its block, to pose as a chat or verdict token, or to hide. A
 * word joiner breaks every danger behind its first character, wherever it begins; the text's own
 * joiners are written out as other hidden characters are, so no danger, which holds none, can stand
 * in the result. Exact inverse: `unescapeText`. Linear time.
 */
export const escapeText: Escape = (text) => breakOpeners(showHidden(text));

/** A text as a pattern that matches it. */
const quoted = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/**
 * An escape that also breaks the tokens given, as they are written: those of the tokenizer that is
 * served. Those of a single character cannot be broken; `survivors` names what is left.
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

/** Alone, and within a line: the head of a turn is a danger at a line's start only. */
const isBroken = (breaks: Escape, token: string): boolean =>
  !breaks(token).includes(token) && !breaks(`a ${token}`).includes(token);

/** Those of the tokens that reach a prompt whole. */
export const survivors = (breaks: Escape, tokens: readonly string[]): string[] =>
  tokens.filter((token) => !isBroken(breaks, token));

const JOINED = `${JOINER}?`;
/** Single joiners, except in front of what looked like a hidden character that was written out. */
const ESCAPED = new RegExp(`<(${JOINER}*)U${JOINED}\\+${JOINED}((?:[0-9A-F]${JOINED}){4,6})>|${JOINER}`, "g");

/** The text that `escapeText`, or an escape that breaks more, was given. */
export function unescapeText(text: string): string {
  if (!text.includes("<") && !text.includes(JOINER)) return text;
  return text.replace(ESCAPED, (match, joiners: string | undefined, digits: string) => {
    if (joiners === undefined) return "";
    const code = Number.parseInt(digits.replaceAll(JOINER, ""), 16);
    const character = joiners.length > 1 || code > 0x10ffff ? "" : String.fromCodePoint(code);
    return HIDDEN.test(character) ? character : match.replaceAll(JOINER, "");
  });
}
