// Thoughts that stand between tags in what the policy says, where no parser took them out: they
// are thoughts as those that came apart are.
import { thinkingOf } from "../../text/thinking.ts";
import type { Part } from "../../transcript/messages.ts";
import type { Turn } from "../../transcript/turns.ts";

/** A tag opens the text, or was in the prompt; one within the words is talked about. */
const OPENS = /^\s*[<[\u25c1]/;

/** A text of the policy's as its thoughts and its words; others as they are. */
function parted(part: Part, opened: boolean): Part[] {
  if (!part.isOwn || part.kind !== "text") return [part];
  const { text } = part;
  const { answer, open, opens, lastClose } = thinkingOf(text, true, opened);
  const isSaid = opens === 0 ? lastClose < 0 : !OPENS.test(text);
  if (isSaid && !opened) return [part];
  const end = open?.start ?? text.length;
  const words = text.slice(answer, end).trimStart();
  const thought: Part = { ...part, kind: "thought", text: text.slice(0, answer) + text.slice(end) };
  return words === "" ? [thought] : [thought, { ...part, text: words }];
}

/** Words without tags and blanks, for comparison. */
const untagged = (text: string): string =>
  text.replace(/[<[\u25c1][^<>[\]\u25c1\u25b7]{1,32}[>\]\u25b7]/g, "").replace(/\s/g, "");

/** A turn's parts with its thoughts apart; a thought that its server parsed out as well counts once. */
function apart(parts: readonly Part[], opened: boolean): Part[] {
  const thoughts = parts.filter(({ isOwn, kind }) => isOwn && kind === "thought").map(({ text }) => untagged(text));
  const isTold = ({ isOwn, kind, text }: Part) =>
    isOwn && kind === "thought" && thoughts.some((other) => other !== "" && other.includes(untagged(text)));
  return parts.flatMap((part) => {
    const split = parted(part, opened);
    return split[0] === part ? split : split.filter((found) => !isTold(found));
  });
}

/**
 * Turns with their thoughts apart. Linear but for several thoughts of one turn.
 * @param opened whether texts begin inside thoughts that the prompt opened
 */
export const thoughtsApart = (turns: readonly Turn[], opened: boolean): Turn[] =>
  turns.map(({ role, parts }) => ({ role, parts: apart(parts, opened) }));
