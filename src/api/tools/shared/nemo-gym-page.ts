// The words and examples of a NeMo-Gym resources server's routes in the reference. Read by the generator of
// the OpenAPI document alone.

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
 * The operations under a prefix; `suffix` keeps their ids apart. With observability on the gym puts
 * its rollout's id before the route.
 */
export function gymOperations(
  prefix: string,
  suffix: string,
  { request, reply }: { request: z.ZodType; reply: z.ZodType },
): Record<string, Operation> {
  const path = suffix !== "" && {
    path: z.object({ rollout_id: z.string().meta(said("not read")) }),
  };
  const sessionRoute = (operationId: string, summary: string): Operation => ({
    operationId: `${operationId}${suffix}`,
    summary,
    description: "Nothing is kept for a session. A `resources_session_id` is given back.",
    query: z.object({}),
    ...path,
    request: z.looseObject({
      resources_session_id: z.unknown().optional().meta(said("given back where it is a text")),
    }),
    reply: z.looseObject({ resources_session_id: z.string().optional() }),
    example: {},
  });
  return {
    [`POST ${prefix}/verify`]: sampleOperation({
      operationId: `nemoGymVerify${suffix}`,
      summary: "NeMo-Gym's /verify: one rollout, given back with its reward",
      description:
        "A rollout that could not be judged is an HTTP error, which NeMo-RL dispatches again; with `on_failure=flag` it comes back with reward 0 and the gym's own flags (`_ng_failure_class`, `mask_sample`), and `instance_config.mask_sample`, by which NeMo-RL leaves it out of the loss.",
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
        "mean, max, min, median and std of every number, by task and over all; rows whose judge failed are left out.",
      query: z.object({}),
      ...path,
      request: AggregateRequestSchema,
      reply: AggregateReplySchema,
      example: ROWS_EXAMPLE,
    },
    [`GET ${prefix}/reverify_mode`]: {
      operationId: `nemoGymReverifyMode${suffix}`,
      summary: "NeMo-Gym's /reverify_mode",
      reply_description: "A row alone has no group, so it cannot be verified again by itself.",
      ...path,
      reply: z.literal("unsupported"),
    },
  };
}
