// Owns the wire shape of POST /v1/rewards: the groups, and the spec that their rewards come from.

import * as z from "zod";
import { DeadlineSchema, GroupSchema, RunIdSchema, SpecNameSchema, StepSchema } from "../contract/requests.ts";
import { bound } from "../faults/limit-advice.ts";
import { SPEC_FORMS } from "./signals-spec.ts";

export const RewardsRequestSchema = z.strictObject({
  run_id: RunIdSchema.optional(),
  step: StepSchema.optional(),
  spec: z.union([SpecNameSchema, ...SPEC_FORMS]).default("default"),
  deadline_ms: DeadlineSchema,
  columns: z.boolean().optional().meta({ description: "each signal's values as columns beside the rewards" }),
  groups: z
    .array(GroupSchema)
    .min(1)
    .max(...bound("groups_max")),
});

export type RewardsRequest = z.output<typeof RewardsRequestSchema>;
