// The one form of an agent's run: turns of parts, each with whose words it is. Readers of what tools send:
// messages.ts, forms.ts.
import { itemsOf } from "./forms.ts";
import { imagePart, isRecord } from "./kinds.ts";
import { type Part, partsOfItem, type ReadItem } from "./messages.ts";

export interface Turn {
  role: string;
  parts: readonly Part[];
}

const speaks = ({ kind }: Part): boolean => kind !== "result";
/** A result, with the images behind it. */
const isResult = (parts: readonly Part[]): boolean =>
  parts[0]?.kind === "result" && parts.every(({ kind, isOwn }) => kind === "result" || (kind === "image" && !isOwn));

/** Whether an item goes on with the turn before it. */
function goesOn(last: Turn | undefined, { role, isOwn, opens, parts }: ReadItem): boolean {
  if (last === undefined) return false;
  if (isResult(parts)) return true;
  if (!isOwn || last.role !== role) return false;
  // Items of one response: a thought, its message, its calls.
  const thoughtOnly = last.parts.every(({ kind }) => kind === "thought");
  return opens ? thoughtOnly : last.parts.every(speaks);
}

/**
 * The turns of messages in any form that is read. A result belongs to the turn that it follows,
 * whatever its own message. Never throws; linear.
 */
export function turnsOf(messages: unknown): Turn[] {
  const turns: { role: string; parts: Part[] }[] = [];
  for (const { item } of itemsOf(messages)) {
    const read = partsOfItem(item);
    const last = turns.at(-1);
    if (last !== undefined && goesOn(last, read)) last.parts.push(...read.parts);
    else turns.push({ role: read.role, parts: [...read.parts] });
  }
  return turns.filter(({ parts }) => parts.length === 0 || !parts.every(isWithheld));
}

/** A thought without words: empty, encrypted or redacted. */
const isWithheld = ({ kind, text }: Part): boolean => kind === "thought" && text === "";

/** Whether the policy speaks or acts in a turn. */
export const isOwnTurn = ({ role, parts }: Turn): boolean => role === "assistant" || parts.some(({ isOwn }) => isOwn);

/** The policy's last words, as text: the answer, where one is wanted. */
export function answerOf(turns: readonly Turn[]): string {
  const said = ({ parts }: Turn) => parts.filter(({ kind, isOwn }) => isOwn && kind === "text");
  const last = turns.findLast((turn) => said(turn).length > 0);
  return last === undefined
    ? ""
    : said(last)
        .map(({ text }) => text)
        .join("\n");
}

const WORDS: ReadonlySet<Part["kind"]> = new Set(["text", "thought", "call"]);
/** All that the policy wrote, in its order: thoughts, what it said, its calls' arguments. */
export const ownWords = (turns: readonly Turn[]): string[] =>
  turns.flatMap(({ parts }) => parts.flatMap(({ isOwn, kind, text }) => (isOwn && WORDS.has(kind) ? [text] : [])));

/** Whether the policy's last turn thought apart from its words, and came to an end with that. */
export function thoughtApart(turns: readonly Turn[]): boolean {
  const ownParts = turns.findLast(isOwnTurn)?.parts.filter((part) => part.isOwn) ?? [];
  return ownParts.some(({ kind }) => kind === "thought") && ownParts.some(({ kind }) => kind !== "thought");
}

/** Whether the turns hold anything besides words: calls, results, images, or unknown content. */
export const actsIn = (turns: readonly Turn[]): boolean =>
  turns.some(({ parts }) => parts.some(({ kind }) => kind !== "text" && kind !== "thought"));

/** Whether messages hold nothing but words, thoughts apart; those of a tool's role too. */
export const areWords = (messages: readonly unknown[]): boolean =>
  messages.every((message) => {
    const { role, parts } = partsOfItem(message);
    const asSaid = role === "tool" && isRecord(message) ? partsOfItem({ ...message, role: "user" }) : { parts };
    return asSaid.parts.every(({ kind }) => kind === "text" || kind === "thought");
  });

type MessageBlock = Readonly<Record<string, unknown>> & { type: string };
const blockOf = ({ kind, name, id, text }: Part): MessageBlock => {
  if (kind === "text") return { type: "text", text };
  if (kind === "call") return { type: "tool_use", id, name, input: text };
  if (kind === "result" && name !== "" && name !== "error")
    return { type: "tool_result", tool_use_id: id, [name]: text };
  if (kind === "result") return { type: "tool_result", tool_use_id: id, content: text, is_error: name === "error" };
  if (kind === "image") return imagePart(name);
  return { type: kind === "thought" ? "thinking" : name, text };
};

/** Turns as messages of one form, which reads as the same turns. */
export const messagesOf = (turns: readonly Turn[]): { role: string; content: MessageBlock[] }[] =>
  turns.map(({ role, parts }) => ({ role, content: parts.map(blockOf) }));

/** A text as the one turn that it is beside rollouts of several. */
export const turnOfText = (text: string): Turn[] => [
  { role: "assistant", parts: [{ kind: "text", name: "", id: null, text, isOwn: true }] },
];
