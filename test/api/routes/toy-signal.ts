// A kind of signal that a test adds: the share of vowels in a rollout's text, times a scale.
import * as z from "zod";
import { answeredAtOnce } from "../../../src/core/asking/plan.ts";
import type { Signal } from "../../../src/core/asking/signal.ts";
import { valued } from "../../../src/core/asking/signal-value.ts";

export const toy: Signal<{ scale: number }> = {
  kind: "toy",
  schema: z.strictObject({ scale: z.number().min(0).default(1) }),
  relative: false,
  facts: () => [],
  range: ({ scale }) => [0, scale],
  open: ({ group }, { scale }) =>
    answeredAtOnce(() =>
      group.rollouts.map(({ text }) => valued(scale * ((text.match(/[aeiou]/g) ?? []).length / text.length))),
    ),
};
