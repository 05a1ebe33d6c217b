// Finds rollouts that begin inside thoughts that their prompt opened: a template's `<think>` at the
// prompt's end, or a prefilled assistant message with one.

import type { Group, Prompt, PromptMessage, Rollout } from "../contract/requests.ts";
import { endsInThoughts, thinkingOf } from "../text/thinking.ts";
import { namesPolicy } from "../transcript/roles.ts";
import { turnsOf } from "../transcript/turns.ts";

function textOf({ content }: PromptMessage): string {
  if (typeof content === "string") return content;
  const parts = (content ?? []) as readonly { text?: unknown }[];
  return parts.map((part) => (typeof part?.text === "string" ? part.text : "")).join("");
}

function opensThoughts(prompt: Prompt): boolean {
  if (typeof prompt === "string") return endsInThoughts(prompt, false);
  const last = prompt.at(-1) as PromptMessage;
  return endsInThoughts(textOf(last), namesPolicy(last.role));
}

/**
 * Whether an agent's run goes on in the prompt's thoughts. Not where thoughts came apart from words;
 * of several turns only where the others close what the template opens before each.
 */
function goesOnThinking(messages: unknown): boolean {
  const ownParts = turnsOf(messages).flatMap(({ parts }) => parts.filter((part) => part.isOwn));
  if (ownParts.some(({ kind }) => kind === "thought")) return false;
  const texts = ownParts.flatMap(({ kind, text }) => (kind === "text" ? [thinkingOf(text, true)] : []));
  return texts.length === 1 || texts.some(({ lastClose, opens }) => lastClose >= 0 && opens === 0);
}

/** Per rollout: whether it begins inside thoughts that the prompt opened. */
export function openedThoughts({ prompt, rollouts }: Pick<Group, "prompt" | "rollouts">): boolean[] {
  const opens = opensThoughts(prompt);
  return rollouts.map(({ messages }: Rollout) => opens && (messages === undefined || goesOnThinking(messages)));
}

/** Reads the text of a rollout behind its thoughts; null where they did not end. */
export function wordsBehindThoughts(group: Pick<Group, "prompt" | "rollouts">): (r: number) => string | null {
  const opened = openedThoughts(group);
  return (r) => {
    const { text } = group.rollouts[r] as Rollout;
    const { answer, open } = thinkingOf(text, true, opened[r]);
    return open === null ? text.slice(answer) : null;
  };
}
