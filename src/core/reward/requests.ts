// The wire shape of POST /v1/rewards: the groups with the facts that signals may need, and the spec that
// their rewards come from.

import * as z from "zod";
import { said } from "#said";
import {
  DeadlineSchema,
  type Group,
  GroupSchema,
  givenRollouts,
  LanguageSchema,
  RolloutSchema,
  RunIdSchema,
  SpecNameSchema,
  StepSchema,
} from "../contract/requests.ts";
import { someOf } from "../faults/bounded.ts";
import { SPEC_FORMS } from "./signals-spec.ts";
import { SIGNALS } from "./table.ts";

/** A column of a mixed data set holds null in the rows of other tasks. */
const nullable = (schema: z.ZodType) =>
  schema
    .nullish()
    .overwrite((value) => value ?? undefined)
    .meta(schema.meta() ?? {});

/** The facts of all kinds; which of them a request must carry, its spec says (facts.ts). */
const factsOf = (level: "group" | "rollout"): z.ZodRawShape =>
  Object.fromEntries(
    SIGNALS.flatMap(({ fields }) => Object.entries(fields?.[level] ?? {})).map(([name, schema]) => [
      name,
      level === "group" ? nullable(schema) : schema.optional(),
    ]),
  );

/** A rollout with whatever its spec's signals need to know of it. */
export const FactualRolloutSchema = RolloutSchema.extend(factsOf("rollout"));

/** A group with whatever its spec's signals need to know of it. */
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
  columns: z.boolean().optional().meta(said("each signal's values as columns beside the rewards")),
  groups: someOf(FactualGroupSchema, "groups_max"),
});

export type RewardsRequest = z.output<typeof RewardsRequestSchema>;
