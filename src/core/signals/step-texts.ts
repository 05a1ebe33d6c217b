// How a rollout's steps become the one text that a verifier is shown. Knows no verifier.

import { factOf } from "../asking/signal.ts";
import type { Rollout } from "../contract/requests.ts";
import { createGuard } from "../judges/escape/guard.ts";
import { stepList } from "../judges/step-list.ts";
import type { Part } from "../transcript/messages.ts";
import { type Turn, turnsOf } from "../transcript/turns.ts";

/** What begins or ends a paragraph's tag. */
const TAGS = ["<paragraph_", "</paragraph_"].map((text) => ({ text, rule: "anywhere" as const }));
const guard = createGuard(TAGS);

/**
 * The steps as ProcessBench numbers them, `<paragraph_0>` first; a step can neither end its
 * paragraph nor begin another. The whole is escaped like any candidate when it is shown.
 */
export const numberedSteps = (steps: readonly string[]): string =>
  steps.map((text, i) => `<paragraph_${i}>\n${guard(text)}\n</paragraph_${i}>`).join("\n\n");

/**
 * The steps of a rollout: those that were sent, else the policy's own turns, each with its calls; of
 * one that was not sent in steps, as where costs are told, its text.
 */
export const stepTexts = (rollout: Rollout): readonly string[] =>
  factOf<string[]>(rollout, "step_texts") ??
  (rollout.messages === undefined ? [rollout.text] : ownSteps(turnsOf(rollout.messages)));

/** What the policy says and calls in each of its turns. */
function ownSteps(turns: readonly Turn[]): string[] {
  const said = (part: Part) => (part.kind === "call" ? `${part.name} ${part.text}`.trim() : part.text);
  return turns.flatMap(({ parts }) => {
    const own = parts.filter((part) => part.own && part.kind !== "thought" && part.kind !== "image").map(said);
    return own.length === 0 ? [] : [own.join("\n")];
  });
}

/** All that may be shown in place of a rollout that was sent in steps. */
export const shownOfSteps = (rollout: object): string[] => {
  const steps = factOf<string[]>(rollout, "step_texts");
  return steps === undefined ? [] : [numberedSteps(steps), stepList(steps)];
};
