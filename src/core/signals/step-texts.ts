// How a rollout's steps become the one text that a verifier is shown. Knows no verifier.

import { factOf } from "../asking/signal.ts";
import { createGuard } from "../judges/escape/guard.ts";
import { stepList } from "../judges/step-list.ts";

/** What begins or ends a paragraph's tag. */
const TAGS = ["<paragraph_", "</paragraph_"].map((text) => ({ text, rule: "anywhere" as const }));
const guard = createGuard(TAGS);

/**
 * The steps as ProcessBench numbers them, `<paragraph_0>` first; a step can neither end its
 * paragraph nor begin another. The whole is escaped like any candidate when it is shown.
 */
export const numberedSteps = (steps: readonly string[]): string =>
  steps.map((text, i) => `<paragraph_${i}>\n${guard(text)}\n</paragraph_${i}>`).join("\n\n");

/** The steps of a rollout; of one that was not sent in steps, as where costs are told, its text. */
export const stepTexts = (rollout: { text: string }): readonly string[] =>
  factOf<string[]>(rollout, "step_texts") ?? [rollout.text];

/** All that may be shown in place of a rollout that was sent in steps. */
export const shownOfSteps = (rollout: object): string[] => {
  const steps = factOf<string[]>(rollout, "step_texts");
  return steps === undefined ? [] : [numberedSteps(steps), stepList(steps)];
};
