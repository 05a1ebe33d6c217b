// Owns the description of the contracts that send one sample a request for the OpenAPI document:
// words, examples, and which schema goes where.
import * as z from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from "zod-openapi";
import { SampleOptionsSchema } from "../../../src/api/contracts/options.ts";
import { EvaluateReplySchema, EvaluateRequestSchema } from "../../../src/api/contracts/samples/eval-protocol.ts";
import { VerifyReplySchema, VerifyRequestSchema } from "../../../src/api/contracts/samples/nemo-gym.ts";
import { AggregateReplySchema, AggregateRequestSchema } from "../../../src/api/contracts/samples/nemo-gym-metrics.ts";
import { OpenRlhfReplySchema, OpenRlhfRequestSchema } from "../../../src/api/contracts/samples/openrlhf.ts";
import { SlimeReplySchema, SlimeRequestSchema } from "../../../src/api/contracts/samples/slime.ts";
import { VerlReplySchema, VerlRequestSchema } from "../../../src/api/contracts/samples/verl.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import * as examples from "./contract-examples.ts";
import { contractTag, FAULT, post } from "./contracts.ts";
import { queryOf } from "./parameters.ts";

const slimeQuery = queryOf(SampleOptionsSchema);
const sampleQuery = slimeQuery.omit({ format: true });

const GATHERED = `Samples of equal prompt, label, run, step and spec are gathered into one group, judged once, and each request is answered with its own reward. A reply that takes longer than ${LIMITS.heartbeat_ms / 1000} s begins with white space; a failure then breaks it off.`;

/** Of the routes that gather: what the local stack answers to whoever comes alone. */
const ungathered: ZodOpenApiOperationObject["responses"] = {
  "503": {
    description:
      "No reward could be had, and `on_failure` names no number: the sample is alone in its group (`group_too_small`), or the verifier did not answer. May be sent again as it is.",
    content: {
      "application/json": { schema: { type: "object" } },
      "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
    },
  },
};

/** A route that gathers samples. */
const sample = (described: Parameters<typeof post>[0], parameters = sampleQuery) =>
  post(described, parameters, ungathered);

function get(operationId: string, summary: string, description: string, schema: z.ZodType, open = false) {
  const responses: ZodOpenApiOperationObject["responses"] = {
    "200": { description, content: { "application/json": { schema } } },
    ...(!open && { default: { description: FAULT, content: { "application/json": { schema: { type: "object" } } } } }),
  };
  return { get: { operationId, tags: [contractTag], summary, ...(open && { security: [] }), responses } };
}

const rollout = z.object({ rollout_id: z.string().meta({ description: "not read" }) });

/** The routes of a resources server; `suffix` keeps operation ids apart. */
function nemoGym(prefix: string, suffix: string): ZodOpenApiPathsObject {
  const session = z.looseObject({ resources_session_id: z.string().optional() });
  const anySession = z.looseObject({
    resources_session_id: z.unknown().optional().meta({ description: "given back where it is a text" }),
  });
  const path = (item: ReturnType<typeof post> | ReturnType<typeof get>) => {
    if (suffix === "") return item;
    const described = Object.entries(item).map(([method, operation]) => {
      const { requestParams = {} } = operation as ZodOpenApiOperationObject;
      return [method, { ...operation, requestParams: { ...requestParams, path: rollout } }];
    });
    return Object.fromEntries(described);
  };
  const sessionRoute = (operationId: string, summary: string) =>
    post(
      {
        operationId: `${operationId}${suffix}`,
        summary,
        description: "Nothing is kept for a session. A `resources_session_id` is given back.",
        request: anySession,
        reply: session,
        example: {},
      },
      z.object({}),
    );
  return {
    [`${prefix}/verify`]: path(
      sample({
        operationId: `nemoGymVerify${suffix}`,
        summary: "NeMo-Gym's /verify: one rollout, given back with its reward",
        description: `${GATHERED} A rollout that could not be judged comes back with reward 0 and the gym's own flags (\`_ng_failure_class\`, \`mask_sample\`), unless \`on_failure\` says otherwise.`,
        request: VerifyRequestSchema,
        reply: VerifyReplySchema,
        example: examples.nemoGym,
      }),
    ),
    [`${prefix}/seed_session`]: path(sessionRoute("nemoGymSeedSession", "NeMo-Gym's /seed_session")),
    [`${prefix}/close_session`]: path(sessionRoute("nemoGymCloseSession", "NeMo-Gym's /close_session")),
    [`${prefix}/aggregate_metrics`]: path(
      post(
        {
          operationId: `nemoGymAggregateMetrics${suffix}`,
          summary: "NeMo-Gym's /aggregate_metrics: statistics of verified rows",
          description:
            "mean, max, min, median and std of every number, by task and over all; rows whose judge failed are left out.",
          request: AggregateRequestSchema,
          reply: AggregateReplySchema,
          example: examples.nemoGymRows,
        },
        z.object({}),
      ),
    ),
    [`${prefix}/reverify_mode`]: path(
      get(
        `nemoGymReverifyMode${suffix}`,
        "NeMo-Gym's /reverify_mode",
        "A row alone has no group, so it cannot be verified again by itself.",
        z.literal("unsupported"),
      ),
    ),
  };
}

export const samplePaths: ZodOpenApiPathsObject = {
  "/openrlhf/get_reward": sample({
    operationId: "openRlhfReward",
    summary: "OpenRLHF's remote reward model",
    description: `${GATHERED} Several samples in one request are grouped by equal prompts and judged at once, unless group_size is given.`,
    request: OpenRlhfRequestSchema,
    reply: OpenRlhfReplySchema,
    example: examples.openRlhf,
  }),
  "/slime/reward": sample(
    {
      operationId: "slimeReward",
      summary: "slime's and miles' remote_rm",
      description: GATHERED,
      request: SlimeRequestSchema,
      reply: SlimeReplySchema,
      example: examples.slime,
    },
    slimeQuery,
  ),
  "/verl/compute_score": sample({
    operationId: "verlComputeScore",
    summary: "verl's compute_score, its keywords as JSON",
    description: GATHERED,
    request: VerlRequestSchema,
    reply: VerlReplySchema,
    example: examples.verl,
  }),
  "/evaluate": sample({
    operationId: "evaluateSample",
    summary: "eval-protocol's remote reward function",
    description: `${GATHERED} A failure has \`is_score_valid: false\`.`,
    request: EvaluateRequestSchema,
    reply: EvaluateReplySchema,
    example: examples.evalProtocol,
  }),
  "/health": get(
    "health",
    "Liveness, as eval-protocol asks",
    "The process lives.",
    z.object({ status: z.string() }),
    true,
  ),
  "/nemo-gym/": get("nemoGymRoot", "NeMo-Gym's readiness probe", "What this is.", z.looseObject({}), true),
  ...nemoGym("/nemo-gym", ""),
  ...nemoGym("/nemo-gym/ng-rollout/{rollout_id}", "Rollout"),
};
