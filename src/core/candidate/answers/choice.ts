// Reads which choice an answer names: a single letter, whatever text follows. Rejects answers that name
// several letters.

import { lazily } from "../../text/lazily.ts";

/** Macros that only format their argument. */
const TEXT_MACRO = /\\(?:text(?:bf|it|rm)?|math(?:bf|rm|it)|boldsymbol|mbox)\s?\{([^{}]*)\}/g;
const NAMED = String.raw`(?:(?:the\s+)?(?:correct\s+|final\s+)?(?:option|choice|answer)(?:\s*is\b)?(?:\s*[:#])?\s*)?`;
const ALONE = new RegExp(`^${NAMED}(?:([([{])\\s*)?([A-Z])\\s*([)\\]}]?)[.:]?$`, "i");
/**
 * A letter with a delimiter, and the text that follows. A space is a delimiter only before a bracket or a
 * reason, because the letter may be an article.
 */
const WITH_TEXT = new RegExp(
  `^${NAMED}(?:[([]\\s*([A-Z])\\s*[)\\]][.:,;]?|([A-Z])(?:\\s*(?:[):\\uff1a\\u2013\\u2014]|[.,;](?=\\s)|(?<=[^\\S\\n])-\\s)|[^\\S\\n]*\\n|\\s+(?=\\(|because\\s|since\\s)))\\s*(\\S.*)`,
  "is",
);
const SENTENCE = /^the\b|\bis\b/i;
/** A second letter directly after the first. */
const SECOND = lazily(
  () =>
    /^(?:(?:[,/&;+]|and\b|or\b|\s)*[([]?[A-Za-z](?:[)\]:.,;/&]|\s*$|\s+(?:and|or|&)\s)|(?:and|or|and\/or|&)\s+[([]?[A-Z](?!\p{L}))/u,
);
/** Another choice after a list separator, in the same notation as the first. */
const LISTED = /(?:[;,\n]|\band\b|\bor\b)[^\S\n]*[([]?[A-Z](?:[):]|\.\s)/;

const plain = (given: string): string => given.replace(TEXT_MACRO, "$1").replace(/\\ |~/g, " ").trim();

/**
 * Returns the letter of an answer that consists of a single letter. `isMarked` means that brackets or a word
 * such as `option` mark it as a choice.
 */
function lone(answer: string): { letter: string; isMarked: boolean } | null {
  const [whole = "", open = "", letter, close = ""] = ALONE.exec(answer) ?? [];
  if (letter === undefined || (open !== "" && close === "")) return null;
  return { letter, isMarked: whole.replace(/[.:]$/, "").length > 1 };
}

/**
 * Returns the letter, A to Z, of an answer that consists of a single upper-case letter and is not a sentence.
 */
export function choiceAlone(given: string): string | null {
  const answer = plain(given);
  const { letter = "" } = lone(answer) ?? {};
  return letter !== "" && letter === letter.toUpperCase() && !SENTENCE.test(answer) ? letter : null;
}

/**
 * Returns the letter that an answer names, in upper case. A delimiter may separate the letter from further
 * text. Returns null for any other answer. Use only if the reference is a choice.
 * @param bare whether a single lower-case letter counts as a choice; in algebra it is a variable
 */
export function choiceIn(given: string, bare: boolean): string | null {
  const answer = plain(given);
  const alone = lone(answer);
  if (alone !== null) {
    const { letter, isMarked } = alone;
    return bare || isMarked || letter === letter.toUpperCase() ? letter.toUpperCase() : null;
  }
  const [, bracketed, marked, text = ""] = WITH_TEXT.exec(answer) ?? [];
  const letter = bracketed ?? marked;
  return letter === undefined || SECOND().test(text) || LISTED.test(text) ? null : letter.toUpperCase();
}
