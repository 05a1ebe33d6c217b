// Separates thoughts between tags from the policy's words if no server-side parser did so, so that they are
// treated like thoughts that arrived separately.
import { thinkingOf } from "../../text/thinking.ts";
import type { Part } from "../../transcript/messages.ts";
import type { Turn } from "../../transcript/turns.ts";

/**
 * A thinking tag counts only at the beginning of the text, or if the prompt opened the thoughts. Elsewhere, a
 * tag is only being mentioned.
 */
const OPENS = /^\s*[<[\u25c1]/;

/** Splits a text part of the policy into thoughts and words. Other parts are not changed. */
function parted(part: Part, opened: boolean): Part[] {
  if (!part.own || part.kind !== "text") return [part];
  const { text } = part;
  const { answer, open, opens, lastClose } = thinkingOf(text, true, opened);
  const isSaid = opens === 0 ? lastClose < 0 : !OPENS.test(text);
  if (isSaid && !opened) return [part];
  const end = open?.start ?? text.length;
  const words = text.slice(answer, end).trimStart();
  const thought: Part = { ...part, kind: "thought", text: text.slice(0, answer) + text.slice(end) };
  return words === "" ? [thought] : [thought, { ...part, text: words }];
}

/** The text without tags and white space, for comparison. */
const untagged = (text: string): string =>
  text.replace(/[<[\u25c1][^<>[\]\u25c1\u25b7]{1,32}[>\]\u25b7]/g, "").replace(/\s/g, "");

/**
 * Separates the thoughts in a turn's parts. A thought that the server also reported separately counts only
 * once.
 */
function apart(parts: readonly Part[], opened: boolean): Part[] {
  const thoughts = parts
    .filter(({ own: isOwn, kind }) => isOwn && kind === "thought")
    .map(({ text }) => untagged(text));
  const isTold = ({ own: isOwn, kind, text }: Part) =>
    isOwn && kind === "thought" && thoughts.some((other) => other !== "" && other.includes(untagged(text)));
  return parts.flatMap((part) => {
    const split = parted(part, opened);
    return split[0] === part ? split : split.filter((found) => !isTold(found));
  });
}

/**
 * Returns the turns with their thoughts separated. Takes linear time, unless a turn contains several
 * thoughts.
 * @param opened whether the turns begin inside thoughts that the prompt opened
 */
export const thoughtsApart = (turns: readonly Turn[], opened: boolean): Turn[] =>
  turns.map(({ role, parts }) => ({ role, parts: apart(parts, opened) }));
