// The kind `length`: how short a rollout is. Expressions usually scale the value by correctness.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce } from "../asking/plan.ts";
import type { Signal } from "../asking/signal.ts";
import { valued } from "../asking/signal-value.ts";
import { ownWordsOf } from "../candidate/prepare.ts";
import { wholeFrom } from "../faults/bounded.ts";
import { cos } from "../math/elementary.ts";

const SCHEMA = z.strictObject({
  form: z.enum(["cosine", "linear", "kimi"]).default("cosine"),
  unit: z.enum(["tokens", "characters"]).default("tokens"),
  max: wholeFrom(1, "overlong_tokens_max")
    .optional()
    .meta(said("length at which `cosine` and `linear` reach 0; `kimi` uses the group's lengths")),
});
type LengthSettings = z.output<typeof SCHEMA>;

/**
 * Half a cosine: 1 at length 0, 0 at `max` and beyond. TRL's cosine_scaled_reward gives a correct answer 0.5
 * + 0.5 w and a wrong one -0.5 - 0.5 w, where w is this value.
 */
export const cosineShare = (length: number, max: number): number => (1 + cos(Math.PI * Math.min(length / max, 1))) / 2;

/**
 * Kimi k1.5 (arXiv 2501.12599, 2.3.3): 0.5 for the shortest rollout of the group, -0.5 for the longest,
 * linear between them; 0 for all if all lengths are equal. For wrong answers, the paper's trainer uses the
 * minimum of 0 and this value.
 */
export function kimiShares(lengths: readonly number[]): number[] {
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];
  return lengths.map((length) => (shortest === longest ? 0 : 0.5 - (length - shortest) / (longest - shortest)));
}

/** Number of code points, as Python's `len` counts them. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export const length: Signal<LengthSettings> = {
  kind: "length",
  takesTooLong: ({ unit }) => unit === "tokens",
  schema: SCHEMA,
  fault({ form, max }) {
    if (form === "kimi") {
      return max === undefined
        ? null
        : { path: ["max"], message: "has no effect with kimi, which compares with the group's lengths; omit it" };
    }
    return max === undefined
      ? { path: ["max"], message: `required by ${form}: the length at which the value reaches 0` }
      : null;
  },
  relative: true,
  relativeWith: ({ form }) => form === "kimi",
  facts: ({ unit }) => (unit === "tokens" ? ["length_tokens"] : []),
  fromLengths: ({ unit }) => unit === "tokens",
  lints: ({ unit }) => (unit === "characters" ? ["length_in_characters"] : []),
  range: ({ form }) => (form === "kimi" ? [-0.5, 0.5] : [0, 1]),
  open(prepared, { form, unit, max = 1 }) {
    const chars = (words: readonly string[]) => words.reduce((sum, text) => sum + characters(text), 0);
    const lengths =
      unit === "tokens"
        ? prepared.group.rollouts.map(({ length_tokens }) => length_tokens as number)
        : ownWordsOf(prepared).map(chars);
    const share = (length: number) => (form === "cosine" ? cosineShare(length, max) : 1 - Math.min(length / max, 1));
    return answeredAtOnce(() => (form === "kimi" ? kimiShares(lengths) : lengths.map(share)).map(valued));
  },
};
