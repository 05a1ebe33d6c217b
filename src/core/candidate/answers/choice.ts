// Reads which choice an answer names: one letter, whatever text follows. Several letters are none.

/** Macros that only set their text. */
const TEXT_MACRO = /\\(?:text(?:bf|it|rm)?|math(?:bf|rm|it)|boldsymbol|mbox)\s?\{([^{}]*)\}/g;
const NAMED = String.raw`(?:(?:the\s+)?(?:correct\s+|final\s+)?(?:option|choice|answer)(?:\s*is\b)?(?:\s*[:#])?\s*)?`;
const ALONE = new RegExp(`^${NAMED}(?:([([{])\\s*)?([A-Z])\\s*([)\\]}]?)[.:]?$`, "i");
/**
 * A letter and what sets it apart from the text behind it; a word behind a space alone may go on from
 * an article.
 */
const WITH_TEXT = new RegExp(
  `^${NAMED}(?:[([]\\s*([A-Z])\\s*[)\\]][.:,;]?|([A-Z])(?:\\s*(?:[):\\uff1a\\u2013\\u2014]|[.,;](?=\\s)|(?<=[^\\S\\n])-\\s)|[^\\S\\n]*\\n|\\s+(?=\\(|because\\s|since\\s)))\\s*(\\S.*)`,
  "is",
);
const SENTENCE = /^the\b|\bis\b/i;
/** Another letter, directly behind the first. */
const SECOND =
  /^(?:(?:[,/&;+]|and\b|or\b|\s)*[([]?[A-Za-z](?:[)\]:.,;/&]|\s*$|\s+(?:and|or|&)\s)|(?:and|or|and\/or|&)\s+[([]?[A-Z](?!\p{L}))/u;
/** Another one, numbered as the first is, behind a list's mark. */
const LISTED = /(?:[;,\n]|\band\b|\bor\b)[^\S\n]*[([]?[A-Z](?:[):]|\.\s)/;

const plain = (given: string): string => given.replace(TEXT_MACRO, "$1").replace(/\\ |~/g, " ").trim();

/**
 * The letter of an answer that is nothing but one, and whether brackets or `option` say that it is a
 * choice's.
 */
function lone(answer: string): { letter: string; isMarked: boolean } | null {
  const [whole = "", open = "", letter, close = ""] = ALONE.exec(answer) ?? [];
  if (letter === undefined || (open !== "" && close === "")) return null;
  return { letter, isMarked: whole.replace(/[.:]$/, "").length > 1 };
}

/** The letter, A to Z, of an answer that is nothing but an upper-case one and no sentence. */
export function choiceAlone(given: string): string | null {
  const answer = plain(given);
  const { letter = "" } = lone(answer) ?? {};
  return letter !== "" && letter === letter.toUpperCase() && !SENTENCE.test(answer) ? letter : null;
}

/**
 * The letter that an answer names, in upper case, whatever text a mark sets apart behind it; null
 * for any other answer. For answers to a reference that is a choice.
 * @param bare whether a lower-case letter by itself is one too; in algebra it is a name
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
  return letter === undefined || SECOND.test(text) || LISTED.test(text) ? null : letter.toUpperCase();
}
