// Formats a rollout's steps as the single string shown to a verifier.

import { factOf } from "../asking/signal.ts";
import { ownWordsOf, type PreparedGroup } from "../candidate/prepare.ts";
import { createGuard } from "../judges/escape/guard.ts";
import { stepList } from "../judges/step-list.ts";
import { lazily } from "../text/lazily.ts";
import type { Part } from "../transcript/messages.ts";
import { isOwnTurn, type Turn } from "../transcript/turns.ts";

/** Strings that open or close a paragraph tag. */
const TAGS = ["<paragraph_", "</paragraph_"].map((text) => ({ text, rule: "anywhere" as const }));
const guard = lazily(() => createGuard(TAGS));

/**
 * Numbers the steps as ProcessBench does, from `<paragraph_0>`. Steps are escaped so that they cannot close
 * their paragraph or open another. When shown, the result is escaped like any candidate.
 */
export const numberedSteps = (steps: readonly string[]): string =>
  steps.map((text, i) => `<paragraph_${i}>\n${guard()(text)}\n</paragraph_${i}>`).join("\n\n");

/**
 * The steps of each rollout: the steps that the caller sent, else the policy's turns with their tool calls,
 * else the whole rollout (for cost estimates).
 */
export const stepsOf = ({ group, evidence }: Pick<PreparedGroup, "group" | "evidence">): (readonly string[])[] =>
  group.rollouts.map((rollout, r) => {
    const turns = rollout.messages === undefined ? undefined : evidence?.items[r]?.turns;
    return factOf<string[]>(rollout, "step_texts") ?? (turns === undefined ? [rollout.text] : ownSteps(turns));
  });

/**
 * Placeholder for a turn without words (for example, one with only thoughts), which still counts as a step.
 */
const NO_WORDS = "(no words)";

/** The policy's words and tool calls per turn; empty if no turn has any. */
function ownSteps(turns: readonly Turn[]): string[] {
  const said = (part: Part) => (part.kind === "call" ? `${part.name} ${part.text}`.trim() : part.text);
  const isSaid = ({ own: isOwn, kind }: Part) => isOwn && kind !== "thought" && kind !== "image";
  const wordsByTurn = turns.filter(isOwnTurn).map(({ parts }) => parts.filter(isSaid).map(said));
  return wordsByTurn.every(({ length }) => length === 0)
    ? []
    : wordsByTurn.map((words) => words.join("\n") || NO_WORDS);
}

/** Everything that the policy wrote, as one string per rollout, to be summarised. */
export const wholeTexts = (prepared: Pick<PreparedGroup, "group" | "evidence">): string[] =>
  ownWordsOf(prepared).map((words) => words.join("\n\n"));

/**
 * All strings that may be shown for a group that is judged by steps.
 * @param whole whether to include each rollout as a whole
 */
export const shownOfSteps = (prepared: Pick<PreparedGroup, "group" | "evidence">, whole: boolean): string[] => [
  ...(whole ? wholeTexts(prepared) : []),
  ...stepsOf(prepared).flatMap((steps, r) => {
    const { step_texts, messages }: { step_texts?: unknown; messages?: unknown } = prepared.group.rollouts[r] ?? {};
    return step_texts === undefined && messages === undefined ? [] : [numberedSteps(steps), stepList(steps)];
  }),
];
