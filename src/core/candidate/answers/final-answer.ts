// Owns where a final answer stands: in the last box, behind GSM8K's `####`, or on the last line.

import { strip } from "../../text/python-text.ts";
import { answerStart } from "../../text/thinking.ts";

export const ANSWER_PLACES = ["boxed", "last_line", "candidate"] as const;
export type AnswerPlace = (typeof ANSWER_PLACES)[number];

/** The content of the last `\boxed{..}`, balanced; null when there is none or it is not closed. */
function lastBox(text: string): string | null {
  const at = text.lastIndexOf("\\boxed");
  const open = at < 0 ? -1 : text.indexOf("{", at);
  if (open < 0 || strip(text.slice(at + "\\boxed".length, open)) !== "") return null;
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return text.slice(open + 1, i);
  }
  return null;
}

const lastLine = (text: string): string => strip(text).split("\n").at(-1) ?? "";

/** What follows `####` where the last line begins with it, as GSM8K's solutions end; else null. */
const marked = (text: string): string | null => /^####(?!#)(.*)/.exec(lastLine(text))?.[1]?.trim() || null;

/** The answer that a solution written out ends with; a text without one is the answer itself. */
export const statedAnswer = (text: string): string => lastBox(text) ?? marked(text) ?? text;

/**
 * The final answer behind the thoughts, or null: thoughts that never end hold none. `candidate` is
 * what the spec takes out of the rollout.
 */
export function finalAnswer(text: string, candidate: string | null, place: AnswerPlace): string | null {
  if (place === "candidate") return candidate;
  const start = answerStart(text);
  if (start < 0) return null;
  const answer = text.slice(start);
  return place === "boxed" ? (lastBox(answer) ?? marked(answer)) : lastLine(answer) || null;
}
