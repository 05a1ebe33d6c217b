// POST /nemo-gym/verify and the other routes of a NeMo-Gym resources server. Rollouts are parsed in
// nemo-gym-response.ts and gathered into groups in gathered.ts.
import * as z from "zod";
import { said } from "#said";
import { AnyJsonSchema } from "../../core/contract/any-json.ts";
import { ITEM_ERRORS } from "../../core/faults/errors.ts";
import { serviceInfo } from "../routes/service.ts";
import { type Contract, type ContractRoute, contractBody } from "./shared/contract.ts";
import { trainers } from "./shared/dialects.ts";
import { gymOperations } from "./shared/nemo-gym-page.ts";
import { CreateParamsSchema, GymPromptSchema, GymRolloutSchema, ResponseSchema } from "./shared/nemo-gym-response.ts";
import { aggregateMetrics, reverifyMode, session } from "./shared/nemo-gym-server.ts";
import { contains, documented, fields, has, not, when } from "./shared/page.ts";
import { sampleRoute } from "./shared/sample-route.ts";
import {
  type JudgedSample,
  rewardOrDeclared,
  SampleLogsSchema,
  sampleComponents,
  sampleLogs,
} from "./shared/sample-score.ts";

/**
 * Base paths of the resources server. If observability is enabled, NeMo-Gym inserts the rollout's id in front
 * of the route.
 */
const PREFIXES = ["/nemo-gym", "/nemo-gym/ng-rollout/:rollout_id"] as const;

/** Row fields that distinguish problems with the same prompt. The first one that is present is used. */
const LABELS = ["expected_answer", "label", "answer", "ground_truth", "solution", "verifier_metadata"] as const;

const IdSchema = z.union([z.string(), z.number()]).nullish();

export const VerifyRequestSchema = z
  .looseObject({
    responses_create_params: CreateParamsSchema,
    response: ResponseSchema,
    _ng_group_id: IdSchema.meta(said("rollouts with the same id and the same `_ng_group_attempt` form one group")),
    _ng_group_attempt: IdSchema,
  })
  .meta(
    said(
      "may contain additional fields of the dataset row. The reply returns all of them, and specs that need facts read them",
    ),
  );

const flagged = {
  _ng_failure_class: z.literal("judge_failed").optional(),
  _ng_failure_judge_error: z.string().optional(),
  mask_sample: z.literal(true).optional(),
  instance_config: z
    .unknown()
    .optional()
    .meta(
      said(
        "the row's own configuration; if the verifier failed, its `mask_sample` is true, which is where NeMo-RL reads it",
      ),
    ),
  failure_kind: z.literal("judge_failed").optional(),
  failure_reason: z.string().optional(),
};
const echoed = z.record(z.string(), z.unknown());
export const VerifyReplySchema = z.looseObject({
  responses_create_params: echoed,
  response: echoed,
  reward: z.number(),
  reward_components: z
    .record(z.string(), z.number())
    .meta(said("`base`, `format` and `overlong`; for a spec with signals: the value of each signal")),
  kritai_request_id: z.string().meta(said("request id of the judgement in the run log")),
  ...SampleLogsSchema.shape,
  ...flagged,
});

const ReadSchema = z.object({ responses_create_params: GymPromptSchema, response: GymRolloutSchema });

const CohortSchema = z.object({ _ng_group_id: IdSchema, _ng_group_attempt: IdSchema });

/** NeMo-Gym's group id and attempt number; null if the request has no group id. */
function cohortOf(body: Record<string, unknown>): unknown[] | null {
  const { _ng_group_id: id, _ng_group_attempt: attempt } = contractBody(CohortSchema, body);
  return id == null ? null : [id, attempt ?? null];
}

/** The row without the fields that differ between the rollouts of a problem. */
const problemOf = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith("_") || name === "_ng_task_index"));

function read(body: Record<string, unknown>) {
  const { responses_create_params: prompt, response: rollout } = contractBody(ReadSchema, body);
  const name = LABELS.find((field) => body[field] !== undefined && body[field] !== null);
  const label = name === undefined ? null : contractBody(z.object({ [name]: AnyJsonSchema }), body)[name];
  const cohort = cohortOf(body);
  const { responses_create_params: _, response: __, ...row } = body;
  const stated = { truth: label, row, field: name ?? LABELS[0] };
  // Rows without a prompt are grouped by their other fields, such as an id.
  const problem = prompt === "" ? problemOf(row) : label;
  return { prompt, label: problem, ...(cohort !== null && { cohort }), rollout, stated };
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reports a judge failure in the formats of NeMo-Gym 0.7 and 0.5, so that the row is excluded and can be
 * verified again. NeMo-RL excludes a sample from the loss only if `instance_config.mask_sample` is set.
 */
function judgeFailed({ judged }: JudgedSample, { instance_config }: Record<string, unknown>) {
  const error = judged.result.error ?? "verifier_bad_reply";
  const reason = `${error}: ${ITEM_ERRORS[error]}`;
  return {
    _ng_failure_class: "judge_failed",
    _ng_failure_judge_error: reason,
    mask_sample: true,
    instance_config: { ...(isObject(instance_config) && instance_config), mask_sample: true },
    failure_kind: "judge_failed",
    failure_reason: reason,
  };
}

function verifyReply(sample: JudgedSample, body: Record<string, unknown>) {
  const failed = sample.judged.result.reward === null && sample.on_failure === "flag";
  const declared = failed ? { ...sample, on_failure: 0 } : sample;
  const logs = sampleLogs(declared);
  return {
    ...body,
    reward: rewardOrDeclared(declared),
    reward_components: sampleComponents(declared),
    kritai_request_id: sample.judged.request_id,
    ...logs,
    ...(failed && judgeFailed(sample, body)),
  };
}

const verify = sampleRoute({
  field: "response.usage.output_tokens",
  reply: VerifyReplySchema,
  // NeMo-RL makes 5 attempts of 60 s each. Doubled, to allow for pauses between attempts.
  retry_ms: 10 * 60_000,
  tries: 1,
  read,
  toReply: verifyReply,
});

/** The routes under a prefix. Only errors of scoring routes need the trainers' format. */
const routesAt = (prefix: string): ContractRoute[] => [
  { method: "POST", path: `${prefix}/verify`, handler: verify },
  { method: "POST", path: `${prefix}/seed_session`, dialect: null, handler: session },
  { method: "POST", path: `${prefix}/close_session`, dialect: null, handler: session },
  { method: "POST", path: `${prefix}/aggregate_metrics`, dialect: null, handler: aggregateMetrics },
  { method: "GET", path: `${prefix}/reverify_mode`, dialect: null, handler: reverifyMode },
];

export const nemoGym: Contract = {
  name: "nemo_gym",
  scope: "score",
  dialect: trainers,
  // Default timeout of the `verifiers` library for /verify.
  wait_ms: 60_000,
  settable: true,
  content: [
    { at: "responses_create_params.input", carrier: "items" },
    { at: "responses_create_params", carrier: "row" },
    { at: "response.output", carrier: "output", side: "answer" },
    { at: "response", carrier: "row", side: "answer" },
    { at: "verifier_metadata", carrier: "row" },
  ],
  routes: [
    { method: "GET", path: "/nemo-gym/", access: "public", dialect: null, handler: serviceInfo },
    ...PREFIXES.flatMap(routesAt),
  ],
};

export const page = /* @__PURE__ */ documented(nemoGym, () => ({
  operations: {
    "GET /nemo-gym/": {
      operationId: "nemoGymRoot",
      summary: "NeMo-Gym's readiness probe",
      reply_description: "Information about the service.",
      reply: z.looseObject({}),
    },
    ...Object.assign(
      {},
      ...PREFIXES.map((prefix, at) =>
        gymOperations(prefix, at === 0 ? "" : "Rollout", { request: VerifyRequestSchema, reply: VerifyReplySchema }),
      ),
    ),
  },
  components: { NemoGymVerifyRequest: VerifyRequestSchema, NemoGymVerifyReply: VerifyReplySchema },
  rules: {
    NemoGymVerifyRequest: fields({
      responses_create_params: {
        ...when(
          not(has({ instructions: { type: "string", minLength: 1 } })),
          fields({ input: contains(not(has({ type: { const: "reasoning" } }))) }),
        ),
      },
    }),
  },
}));
