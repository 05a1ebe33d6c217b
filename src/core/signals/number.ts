// The kind `number`: a number of the caller's own for each rollout, such as its cost, by the name under which
// it is sent.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce, factOf, type Signal } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";

const NameSchema = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, "must match [a-z][a-z0-9_]{0,31}");

const FIELDS = {
  numbers: z
    .record(NameSchema, z.number().nullable())
    .refine((numbers) => Object.keys(numbers).length <= LIMITS.rollout_numbers_max, theLimit("rollout_numbers_max"))
    .meta(said("numbers of your own by name, for signals of the kind number; null: there is none")),
};

const SCHEMA = z.strictObject({
  field: NameSchema.meta(said("the name in the rollout's `numbers`")),
  range: z
    .tuple([z.number(), z.number()])
    .meta(said("where the number lies, lowest first; one outside has no value, and is never moved inside")),
});
type NumberSettings = z.output<typeof SCHEMA>;

const sent = (rollout: object, field: string) => factOf<Record<string, number | null>>(rollout, "numbers")?.[field];

function within(number: number | null | undefined, [low, high]: NumberSettings["range"]): Valued {
  return number != null && number >= low && number <= high ? valued(number) : without("no_number");
}

export const number: Signal<NumberSettings> = {
  kind: "number",
  // The sender decides its value, however long the text.
  takesTooLong: () => true,
  schema: SCHEMA,
  fields: { rollout: FIELDS },
  fault: ({ range: [low, high] }) =>
    low < high ? null : { path: ["range"], message: `the first must be below the second; ${low} is not below ${high}` },
  relative: false,
  facts: () => ["numbers"],
  /** One rollout may lack it; where all do, the name is wrong. */
  groupFault({ field }, group) {
    const rollouts = factOf<object[]>(group, "rollouts") ?? [];
    if (rollouts.length === 0 || rollouts.some((rollout) => sent(rollout, field) !== undefined)) return null;
    return { path: `rollouts[0].numbers.${field}`, message: "required because a signal reads it", missing: true };
  },
  range: ({ range: [low, high] }) => [low, high],
  open({ group: { rollouts } }, { field, range }) {
    const numbers = rollouts.map((rollout) => sent(rollout, field));
    const scores = numbers.map((value) => within(value, range));
    return answeredAtOnce(
      () => scores,
      () => numbers.map((value, r) => (value != null && scores[r]?.value === null ? { out_of_range: value } : null)),
    );
  },
};
