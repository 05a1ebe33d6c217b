// How a rollout's steps become the one text that a verifier is shown.

import { factOf } from "../asking/signal.ts";
import { ownWordsOf, type PreparedGroup } from "../candidate/prepare.ts";
import { createGuard } from "../judges/escape/guard.ts";
import { stepList } from "../judges/step-list.ts";
import type { Part } from "../transcript/messages.ts";
import { isOwnTurn, type Turn } from "../transcript/turns.ts";

/** Texts that begin or end a paragraph's tag. */
const TAGS = ["<paragraph_", "</paragraph_"].map((text) => ({ text, rule: "anywhere" as const }));
const guard = createGuard(TAGS);

/**
 * The steps as ProcessBench numbers them, `<paragraph_0>` first; a step can neither end its
 * paragraph nor begin another. The whole is escaped like any candidate when it is shown.
 */
export const numberedSteps = (steps: readonly string[]): string =>
  steps.map((text, i) => `<paragraph_${i}>\n${guard(text)}\n</paragraph_${i}>`).join("\n\n");

/**
 * The steps of each rollout: those that were sent, else the policy's turns, each with its calls; without
 * either, as where costs are estimated, its text.
 */
export const stepsOf = ({ group, evidence }: Pick<PreparedGroup, "group" | "evidence">): (readonly string[])[] =>
  group.rollouts.map((rollout, r) => {
    const turns = rollout.messages === undefined ? undefined : evidence?.items[r]?.turns;
    return factOf<string[]>(rollout, "step_texts") ?? (turns === undefined ? [rollout.text] : ownSteps(turns));
  });

/** For a turn without words, such as one of thoughts alone, which counts as a step. */
const NO_WORDS = "(no words)";

/** The policy's words and calls in each of its turns; empty where no turn has any. */
function ownSteps(turns: readonly Turn[]): string[] {
  const said = (part: Part) => (part.kind === "call" ? `${part.name} ${part.text}`.trim() : part.text);
  const isSaid = ({ isOwn, kind }: Part) => isOwn && kind !== "thought" && kind !== "image";
  const wordsByTurn = turns.filter(isOwnTurn).map(({ parts }) => parts.filter(isSaid).map(said));
  return wordsByTurn.every(({ length }) => length === 0)
    ? []
    : wordsByTurn.map((words) => words.join("\n") || NO_WORDS);
}

/** For each rollout all that the policy wrote, as one text to be summarised. */
export const wholeTexts = (prepared: Pick<PreparedGroup, "group" | "evidence">): string[] =>
  ownWordsOf(prepared).map((words) => words.join("\n\n"));

/** All that may be shown in place of rollouts by their steps. @param whole their whole texts too */
export const shownOfSteps = (prepared: Pick<PreparedGroup, "group" | "evidence">, whole: boolean): string[] => [
  ...(whole ? wholeTexts(prepared) : []),
  ...stepsOf(prepared).flatMap((steps, r) => {
    const { step_texts, messages }: { step_texts?: unknown; messages?: unknown } = prepared.group.rollouts[r] ?? {};
    return step_texts === undefined && messages === undefined ? [] : [numberedSteps(steps), stepList(steps)];
  }),
];
