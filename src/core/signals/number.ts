// The kind `number`: a named number that the caller sends for each rollout, such as the rollout's cost.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce } from "../asking/plan.ts";
import { factOf, type Signal } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";

const NameSchema = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, "must match [a-z][a-z0-9_]{0,31}");

const FIELDS = {
  numbers: z
    .record(NameSchema, z.number().nullable())
    .refine((numbers) => Object.keys(numbers).length <= LIMITS.rollout_numbers_max, theLimit("rollout_numbers_max"))
    .meta(said("custom numbers by name, for signals of kind number; null: the rollout has no such number")),
};

const SCHEMA = z.strictObject({
  field: NameSchema.meta(said("name of the number in the rollout's `numbers`")),
  range: z
    .tuple([z.number(), z.number()])
    .meta(said("minimum and maximum of the number; a number outside gives no value and is not clamped")),
});
type NumberSettings = z.output<typeof SCHEMA>;

const sent = (rollout: object, field: string) => factOf<Record<string, number | null>>(rollout, "numbers")?.[field];

function within(number: number | null | undefined, [low, high]: NumberSettings["range"]): Valued {
  return number != null && number >= low && number <= high ? valued(number) : without("no_number");
}

export const number: Signal<NumberSettings> = {
  kind: "number",
  // The caller sets the value, so the rollout's length does not matter.
  takesTooLong: () => true,
  schema: SCHEMA,
  fields: { rollout: FIELDS },
  fault: ({ range: [low, high] }) =>
    low < high
      ? null
      : { path: ["range"], message: `the minimum must be below the maximum; ${low} is not below ${high}` },
  relative: false,
  facts: () => ["numbers"],
  /** A single rollout may lack the number; if all of them do, the name is probably wrong. */
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
