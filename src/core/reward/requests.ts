// Wire format of POST /v1/rewards: the groups with the facts that signals may need, and the spec that defines
// the rewards.

import * as z from "zod";
import { said } from "#said";
import { type Group, GroupSchema, givenRollouts, RolloutSchema } from "../contract/group.ts";
import { DeadlineSchema, LanguageSchema, RunIdSchema, SpecNameSchema, StepSchema } from "../contract/request-fields.ts";
import { someOf } from "../faults/bounded.ts";
import { SPEC_FORMS } from "./signals-spec.ts";
import { SIGNALS } from "./table.ts";

/** Accepts null, since in a mixed data set the columns of one task are null in the rows of another. */
const nullable = (schema: z.ZodType) =>
  schema
    .nullish()
    .overwrite((value) => value ?? undefined)
    .meta(schema.meta() ?? {});

/** Fact fields of all kinds, all optional. facts.ts checks which of them the spec requires. */
const factsOf = (level: "group" | "rollout"): z.ZodRawShape =>
  Object.fromEntries(
    SIGNALS.flatMap(({ fields }) => Object.entries(fields?.[level] ?? {})).map(([name, schema]) => [
      name,
      level === "group" ? nullable(schema) : schema.optional(),
    ]),
  );

/** A rollout with the facts that its spec's signals need. */
export const FactualRolloutSchema = RolloutSchema.extend(factsOf("rollout"));

/** A group with the facts that its spec's signals need. */
export const FactualGroupSchema = GroupSchema.extend({
  ...factsOf("group"),
  language: nullable(LanguageSchema),
  rollouts: givenRollouts(FactualRolloutSchema as unknown as typeof RolloutSchema),
}) as unknown as z.ZodType<Group> & z.ZodObject;

export const RewardsRequestSchema = z.strictObject({
  run_id: RunIdSchema.optional(),
  step: StepSchema.optional(),
  spec: z.union([SpecNameSchema, ...SPEC_FORMS]).default("default"),
  deadline_ms: DeadlineSchema,
  columns: z.boolean().optional().meta(said("also returns each signal's values as columns next to the rewards")),
  groups: someOf(FactualGroupSchema, "groups_max"),
});

export type RewardsRequest = z.output<typeof RewardsRequestSchema>;
