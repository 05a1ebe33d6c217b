// Finds rollouts that begin inside thoughts that their prompt opened, either with a template's `<think>` at
// the end of the prompt or in a prefilled assistant message.

import type { Group, Rollout } from "../contract/group.ts";
import type { Prompt, PromptMessage } from "../contract/prompt.ts";
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
 * Whether an agent's run continues inside the prompt's thoughts. False if the server separated thoughts from
 * words. With several turns, true only if some turn closes thoughts without opening them, because such a
 * template opens thoughts before each turn.
 */
function goesOnThinking(messages: unknown): boolean {
  const ownParts = turnsOf(messages).flatMap(({ parts }) => parts.filter((part) => part.own));
  if (ownParts.some(({ kind }) => kind === "thought")) return false;
  const texts = ownParts.flatMap(({ kind, text }) => (kind === "text" ? [thinkingOf(text, true)] : []));
  return texts.length === 1 || texts.some(({ lastClose, opens }) => lastClose >= 0 && opens === 0);
}

/** For each rollout, whether it begins inside thoughts that the prompt opened. */
export function openedThoughts({ prompt, rollouts }: Pick<Group, "prompt" | "rollouts">): boolean[] {
  const opens = opensThoughts(prompt);
  return rollouts.map(({ messages }: Rollout) => opens && (messages === undefined || goesOnThinking(messages)));
}

/** Returns a function that reads a rollout's text after its thoughts; null if the thoughts did not end. */
export function wordsBehindThoughts(group: Pick<Group, "prompt" | "rollouts">): (r: number) => string | null {
  const opened = openedThoughts(group);
  return (r) => {
    const { text } = group.rollouts[r] as Rollout;
    const { answer, open } = thinkingOf(text, true, opened[r]);
    return open === null ? text.slice(answer) : null;
  };
}
