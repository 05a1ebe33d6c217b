// Finds the final answer of a rollout. Uses the first place in a list of places that occurs in the text, at
// its last occurrence. Never looks at the reference, so answers in several places do not give a rollout a
// second chance.

import { lazily } from "../../text/lazily.ts";
import { strip } from "../../text/python-text.ts";
import { isOpener } from "../openers.ts";
import { lastMarked } from "./marked-answer.ts";

export const ANSWER_PLACES = ["boxed", "fbox", "hash", "tag", "marked", "last_line", "candidate"] as const;
export type AnswerPlace = (typeof ANSWER_PLACES)[number];

/** The places that are searched by default, in this order. */
export const DEFAULT_PLACES: readonly AnswerPlace[] = ["boxed", "fbox", "hash", "tag", "marked", "last_line"];
/** Places where a reference that is a whole solution may state its answer. */
const STATED_PLACES: readonly AnswerPlace[] = ["boxed", "fbox", "hash", "tag", "marked"];
/** Places that are searched inside an answer tag. */
const TAGGED_PLACES: readonly AnswerPlace[] = ["boxed", "fbox", "hash", "marked"];

/** An answer and its place. `text` is empty if the place is used but contains nothing readable. */
export interface FoundAnswer {
  place: AnswerPlace;
  text: string;
}

/** Chat and end-of-text tokens that a server has left in the text. */
const SPECIAL_TOKEN = /<[|\uff5c][^<>|\uff5c\n]{1,40}[|\uff5c]>|<\/?s>|<(?:eos|pad|end_of_turn)>|\[\/?(?:EOS|INST)\]/;

/** The part of the text before the first special token. */
function beforeTokens(text: string): string {
  const at = text.search(SPECIAL_TOKEN);
  return strip(at < 0 ? text : text.slice(0, at));
}

/**
 * Returns the content of the last `\boxed{..}` or `\boxed 5`. Empty if the brace is not closed; null
 * without a box.
 */
function lastBox(text: string, macro: "\\boxed" | "\\fbox"): string | null {
  const at = text.lastIndexOf(macro);
  if (at < 0) return null;
  const open = text.slice(at + macro.length).search(/\S/) + at + macro.length;
  if (text[open] !== "{") return /^\s*([^\s$\\{}]{1,64})/.exec(text.slice(at + macro.length, open + 64))?.[1] ?? "";
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return text.slice(open + 1, i);
  }
  return "";
}

const WORD_OUTSIDE_TEX = lazily(() => /(?<![\\\p{L}])\p{L}[\p{L}'\u2019]+/gu);
const wordsIn = (line: string): number => line.match(WORD_OUTSIDE_TEX())?.length ?? 0;
const STARTS_AS_NUMBER = /^[-+\u2212$\u20ac\u00a3\\(]*\d/;

/**
 * Whether a line is an answer by itself and not a sentence: symbols, a number with its unit, or one or two
 * words.
 */
function isBare(line: string): boolean {
  const words = wordsIn(line);
  if (words === 0 || words > 2) return words === 0;
  return STARTS_AS_NUMBER.test(line) || (!/\d/.test(line) && !(words === 2 && /[.!?]$/.test(line)));
}

/** `#### 2. Next case` and `#### Step 1` are Markdown headings. */
const isHeading = (content: string): boolean => !isBare(content) || /^\d+[.)]\s+\p{L}/u.test(content);

/**
 * Returns the answer after GSM8K's `####` at the beginning of a line, from the last one that is not a
 * heading.
 */
function lastHash(text: string): string | null {
  for (let at = text.lastIndexOf("####"); at >= 0; at = at === 0 ? -1 : text.lastIndexOf("####", at - 1)) {
    if ((at > 0 && text[at - 1] !== "\n") || text[at + 4] === "#") continue;
    const end = text.indexOf("\n", at);
    const content = beforeTokens(text.slice(at + 4, end < 0 ? text.length : end));
    if (content === "" || isOpener(content)) continue;
    const isLast = end < 0 || strip(text.slice(end)) === "";
    const marked = lastMarked(content);
    if (marked !== null) return marked;
    if (isLast || !isHeading(content)) return content;
  }
  return null;
}

const OPENING_TAG = /<(final[ _-]?answer|answer|solution)(?:\s[^<>]{0,80})?>/gi;

/** Returns the content of the last answer tag. Empty if the tag is not closed; null without a tag. */
function lastTag(text: string): string | null {
  const opening = [...text.matchAll(OPENING_TAG)].at(-1);
  if (opening === undefined) return null;
  const start = opening.index + opening[0].length;
  const length = text.slice(start).search(new RegExp(`</${opening[1]}\\s*>`, "i"));
  if (length < 0) return "";
  const content = strip(text.slice(start, start + length));
  return finalAnswer(content, null, TAGGED_PLACES)?.text ?? content;
}

const EMPTY_LIST = /^\$?(?:\[\]|\(\)|\\?\{\\?\})\$?$/;

/** @param isOnly whether no other place is searched, in which case a sentence is accepted too */
function lastLine(text: string, isOnly: boolean): string | null {
  const line = beforeTokens(strip(text).split("\n").at(-1) ?? "");
  if (line === "") return null;
  const answer = lastMarked(line) ?? line;
  return isOnly || EMPTY_LIST.test(answer) || (isBare(answer) && !isOpener(answer)) ? answer : null;
}

function answerAt(place: AnswerPlace, text: string, isOnly: boolean): string | null {
  switch (place) {
    case "boxed":
      return lastBox(text, "\\boxed");
    case "fbox":
      return lastBox(text, "\\fbox");
    case "hash":
      return lastHash(text);
    case "tag":
      return lastTag(text);
    case "marked": {
      const marked = lastMarked(text);
      return marked === null ? null : beforeTokens(marked);
    }
    default:
      return lastLine(text, isOnly);
  }
}

/**
 * Returns the final answer, or null if none of the places occurs in the text.
 * @param words the policy's text after its thoughts; null if the thoughts did not end
 * @param candidate the candidate that the spec extracts from the rollout
 */
export function finalAnswer(
  words: string | null,
  candidate: string | null,
  places: readonly AnswerPlace[],
): FoundAnswer | null {
  for (const place of places) {
    const given =
      place === "candidate" ? candidate : words === null ? null : answerAt(place, words, places.length === 1);
    if (given !== null) return { place, text: given };
  }
  return null;
}

/** The answer stated in a written-out solution, or the whole text if it states none. */
export const statedAnswer = (text: string): string => finalAnswer(text, null, STATED_PLACES)?.text || text;
