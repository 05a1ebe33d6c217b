// Owns thoughts that stand between tags in what the policy says, where no parser took them out: they
// are thoughts as those that came apart are.
import { thinkingOf } from "../../text/thinking.ts";
import type { Part } from "../../transcript/messages.ts";
import type { Turn } from "../../transcript/turns.ts";

/** A tag opens the text, or stood in the prompt; one amid the words is talked about. */
const OPENS = /^\s*[<[\u25c1]/;

/** A text of the policy's as its thoughts and its words; others as they are. */
function parted(part: Part): Part[] {
  if (!part.own || part.kind !== "text") return [part];
  const { text } = part;
  const { answer, open, opens, lastClose } = thinkingOf(text, true);
  if (opens === 0 ? lastClose < 0 : !OPENS.test(text)) return [part];
  const end = open?.start ?? text.length;
  const words = text.slice(answer, end).trimStart();
  const thought: Part = { ...part, kind: "thought", text: text.slice(0, answer) + text.slice(end) };
  return words === "" ? [thought] : [thought, { ...part, text: words }];
}

/** Turns with their thoughts apart. Linear. */
export const thoughtsApart = (turns: readonly Turn[]): Turn[] =>
  turns.map(({ role, parts }) => ({ role, parts: parts.flatMap(parted) }));
