// The normalised form of an agent's trajectory: turns that consist of parts, with the author of each part.
// The parsers of the various formats are in messages.ts and forms.ts.
import { itemsOf } from "./forms.ts";
import { imagePart } from "./images.ts";
import { isRecord } from "./kinds.ts";
import { type Part, partsOfItem, type ReadItem } from "./messages.ts";

export interface Turn {
  role: string;
  parts: readonly Part[];
}

const speaks = ({ kind }: Part): boolean => kind !== "result";
/** Whether the parts are a tool's result, optionally followed by images of the result. */
const isResult = (parts: readonly Part[]): boolean =>
  parts[0]?.kind === "result" &&
  parts.every(({ kind, own: isOwn }) => kind === "result" || (kind === "image" && !isOwn));

/** Whether an item continues the previous turn. */
function goesOn(last: Turn | undefined, { role, isOwn, opens, parts }: ReadItem): boolean {
  if (last === undefined) return false;
  if (isResult(parts)) return true;
  if (!isOwn || last.role !== role) return false;
  // The items of one response are a thought, the message, and the calls.
  const thoughtOnly = last.parts.every(({ kind }) => kind === "thought");
  return opens ? thoughtOnly : last.parts.every(speaks);
}

/**
 * Converts messages in any supported format to turns. A result joins the turn that it follows, even if it was
 * a separate message. Never throws; takes linear time.
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

/** Whether a thought has no text because it is empty, encrypted or redacted. */
const isWithheld = ({ kind, text }: Part): boolean => kind === "thought" && text === "";

/** Whether the policy speaks or acts in a turn. */
export const isOwnTurn = ({ role, parts }: Turn): boolean =>
  role === "assistant" || parts.some(({ own: isOwn }) => isOwn);

/** The policy's last message, which is used as the rollout's answer; "" if there is none. */
export function answerOf(turns: readonly Turn[]): string {
  const said = ({ parts }: Turn) => parts.filter(({ kind, own: isOwn }) => isOwn && kind === "text");
  const last = turns.findLast((turn) => said(turn).length > 0);
  return last === undefined
    ? ""
    : said(last)
        .map(({ text }) => text)
        .join("\n");
}

const WORDS: ReadonlySet<Part["kind"]> = new Set(["text", "thought", "call"]);
/** Everything that the policy wrote, in order: thoughts, messages, and arguments of calls. */
export const ownWords = (turns: readonly Turn[]): string[] =>
  turns.flatMap(({ parts }) => parts.flatMap(({ own: isOwn, kind, text }) => (isOwn && WORDS.has(kind) ? [text] : [])));

/** Whether the policy's last turn has both thoughts in separate parts and other content. */
export function thoughtApart(turns: readonly Turn[]): boolean {
  const ownParts = turns.findLast(isOwnTurn)?.parts.filter((part) => part.own) ?? [];
  return ownParts.some(({ kind }) => kind === "thought") && ownParts.some(({ kind }) => kind !== "thought");
}

/** Whether the turns contain calls, results, images or unknown content, and not only text and thoughts. */
export const actsIn = (turns: readonly Turn[]): boolean =>
  turns.some(({ parts }) => parts.some(({ kind }) => kind !== "text" && kind !== "thought"));

/**
 * Whether messages contain only text and thoughts. Messages with a tool role are checked by their content.
 */
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

/** Serializes turns as messages in a single format, which `turnsOf` converts back to the same turns. */
export const messagesOf = (turns: readonly Turn[]): { role: string; content: MessageBlock[] }[] =>
  turns.map(({ role, parts }) => ({ role, content: parts.map(blockOf) }));

/** A plain-text rollout as a single turn, for groups that also contain multi-turn rollouts. */
export const turnOfText = (text: string): Turn[] => [
  { role: "assistant", parts: [{ kind: "text", name: "", id: null, text, own: true }] },
];
