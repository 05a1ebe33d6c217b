// The API reference for the routes of a NeMo-Gym resources server. Used only by the OpenAPI generator.

import * as z from "zod";
import { said } from "#said";
import { RESPONSE_EXAMPLE } from "./nemo-gym-response.ts";
import { AggregateReplySchema, AggregateRequestSchema } from "./nemo-gym-server.ts";
import { type Operation, QUESTION, sampleOperation } from "./page.ts";

export const VERIFY_EXAMPLE = {
  expected_answer: "6",
  responses_create_params: { input: QUESTION },
  response: RESPONSE_EXAMPLE,
};

export const ROWS_EXAMPLE = {
  verify_responses: [
    { _ng_task_index: 0, _ng_rollout_index: 0, reward: 1, response: {} },
    { _ng_task_index: 0, _ng_rollout_index: 1, reward: 0, response: {} },
  ],
};

/**
 * The operations under a path prefix.
 * @param suffix suffix that makes the operation ids unique
 */
export function gymOperations(
  prefix: string,
  suffix: string,
  { request, reply }: { request: z.ZodType; reply: z.ZodType },
): Record<string, Operation> {
  const path = suffix !== "" && {
    path: z.object({ rollout_id: z.string().meta(said("ignored")) }),
  };
  const sessionRoute = (operationId: string, summary: string): Operation => ({
    operationId: `${operationId}${suffix}`,
    summary,
    description: "Sessions have no state. `resources_session_id` is returned unchanged.",
    query: z.object({}),
    ...path,
    request: z.looseObject({
      resources_session_id: z.unknown().optional().meta(said("returned if it is a string")),
    }),
    reply: z.looseObject({ resources_session_id: z.string().optional() }),
    example: {},
  });
  return {
    [`POST ${prefix}/verify`]: sampleOperation({
      operationId: `nemoGymVerify${suffix}`,
      summary: "NeMo-Gym's /verify: returns a rollout with its reward",
      description:
        "A rollout that could not be judged is an HTTP error, which NeMo-RL dispatches again; with `on_failure=flag` it is returned with reward 0, NeMo-Gym's own flags (`_ng_failure_class`, `mask_sample`) and `instance_config.mask_sample`, with which NeMo-RL excludes it from the loss.",
      ...path,
      request,
      reply,
      example: VERIFY_EXAMPLE,
    }),
    [`POST ${prefix}/seed_session`]: sessionRoute("nemoGymSeedSession", "NeMo-Gym's /seed_session"),
    [`POST ${prefix}/close_session`]: sessionRoute("nemoGymCloseSession", "NeMo-Gym's /close_session"),
    [`POST ${prefix}/aggregate_metrics`]: {
      operationId: `nemoGymAggregateMetrics${suffix}`,
      summary: "NeMo-Gym's /aggregate_metrics: statistics of verified rows",
      description:
        "Mean, max, min, median and std of every number, per task and overall. Rows whose verifier failed are excluded.",
      query: z.object({}),
      ...path,
      request: AggregateRequestSchema,
      reply: AggregateReplySchema,
      example: ROWS_EXAMPLE,
    },
    [`GET ${prefix}/reverify_mode`]: {
      operationId: `nemoGymReverifyMode${suffix}`,
      summary: "NeMo-Gym's /reverify_mode",
      reply_description: "A single row has no group, so it cannot be verified again.",
      ...path,
      reply: z.literal("unsupported"),
    },
  };
}
