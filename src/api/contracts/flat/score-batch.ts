// Owns POST /v1/score_batch: a flat batch in, rewards in its order out, with metrics and columns
// whose keys never change.
import * as z from "zod";
import type { GroupResult, RewardsReply, RolloutResult } from "../../../core/contract/replies.ts";
import { ApiError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { type AnySpec, compileSpec } from "../../../core/signals/compiled-spec.ts";
import { needsLengths } from "../../../core/signals/facts.ts";
import type { RouteDeps } from "../../http/deps.ts";
import { idempotent, notingGaps } from "../../http/idempotent.ts";
import { preferences } from "../../http/prefer.ts";
import { answerJson } from "../../http/slow-json.ts";
import { invalidRequest } from "../../http/validation.ts";
import { submitBatch } from "../../routes/batch-submission.ts";
import { checkRewardsRequest } from "../../routes/rewards-rules.ts";
import { resolveSpec } from "../../routes/specs.ts";
import { shownBody } from "../content/shown-body.ts";
import type { Contract } from "../contract.ts";
import { contractDeadline } from "../deadlines.ts";
import { CORRECT, QUESTION, WRONG } from "../example-texts.ts";
import { beginJudging, refuseUnmet } from "../judged-request.ts";
import { type Options, OptionsSchema, urlOptions } from "../options.ts";
import { documented } from "../page.ts";
import { deepLabel, groupRefusals, refused, regrouped, specRefusals } from "../refusal.ts";
import { fields, has, not, size, when } from "../schema-rule.ts";
import { FLAT_CONTENT, type FlatBatch, readFlatBatch, ScoreBatchRequestSchema } from "./flat-batch.ts";
import { type Regrouped, regroup } from "./regrouping.ts";

const value = z.number().nullable();
const perItem = z.array(value);

export const ScoreBatchReplySchema = z.object({
  request_id: z.string(),
  run_id: z.string().nullable(),
  step: z.int().nullable(),
  spec_hash: z.string(),
  rewards: perItem.meta({ description: "in the order of completions; also under response_field when one is named" }),
  metrics: z.object({
    reward_mean: value,
    reward_std: value,
    parse_rate: value,
    tau_b_mean: value,
    list_acc: value,
    scored: z.int(),
    failed: z.int(),
    groups: z.int(),
    generations: z.int(),
    verifier_ms: z.number(),
    total_ms: z.number(),
  }),
  columns: z.object({
    group: z.array(z.int()),
    error: z.array(z.string().nullable()),
    fallback: z.array(z.union([z.literal(0), z.literal(1)])),
    base: perItem.optional(),
    format: perItem.optional(),
    overlong: perItem.optional(),
    wins: z.array(z.int()),
    losses: z.array(z.int()),
    ties: z.array(z.int()),
    undecided: z.array(z.int()),
    rank: z.array(z.int().nullable()),
  }),
  components: z
    .record(z.string(), perItem)
    .optional()
    .meta({ description: "of a spec with signals: each signal's values, in the place of base, format and overlong" }),
  reward_range: z.tuple([z.number(), z.number()]).optional(),
  logged: z.union([z.boolean(), z.literal("queued")]),
  warnings: z.array(z.string()),
});
type ScoreBatchReply = z.output<typeof ScoreBatchReplySchema>;

function requireLengths({ has_lengths, field }: FlatBatch, spec: AnySpec): void {
  const compiled = compileSpec(spec);
  refuseUnmet(compiled, field, { lengths: true });
  const who = needsLengths(compiled);
  if (who === null || has_lengths) return;
  const message = `required because the spec has ${who}; or send completion_ids`;
  throw new ApiError("length_tokens_required", `length_tokens: ${message}.`, {
    errors: [{ path: "length_tokens", message }],
  });
}

/**
 * The reward's own name in the reply besides `rewards`. Throws `invalid_request` for one that
 * another field has.
 */
function responseField({ response_field }: FlatBatch, options: Options): string {
  const name = response_field ?? options.response_field ?? "rewards";
  if (name === "rewards" || !Object.hasOwn(ScoreBatchReplySchema.shape, name)) return name;
  throw invalidRequest([{ path: "response_field", message: "another field of the reply has this name" }]);
}

/** What the reply takes besides the scores, as it is kept with a batch that is answered later. */
export interface BatchShape {
  places: Regrouped["places"];
  on_failure: number | null;
  /** The reward's second name; `rewards` when there is none. */
  field: string;
}

function route(deps: RouteDeps) {
  return idempotent(deps, async (c, body) => {
    const options = urlOptions(c);
    const batch = readFlatBatch(shownBody(c, scoreBatch, body));
    const field = responseField(batch, options);
    if (batch.items.length === 0)
      throw invalidRequest([{ path: batch.field, message: "0 elements; must be at least 1" }]);
    const spec = await resolveSpec(deps, c.get("scope"), batch.spec ?? options.spec ?? "default");
    requireLengths(batch, spec);
    const { groups, places } = regroup(batch.items, batch.field);
    const run_id = batch.run_id ?? options.run_id;
    const step = batch.step ?? options.step;
    const asked_ms = batch.deadline_ms ?? options.deadline_ms;
    const shape: BatchShape = { places, on_failure: options.on_failure, field };
    if (preferences(c).respond_async) {
      const request = { groups, spec, run_id, step, deadline_ms: asked_ms ?? LIMITS.batch_deadline_ms_max };
      checkRewardsRequest(request);
      return submitBatch(c, deps, { route: "score_batch", request, spec, shape });
    }
    const deadline_ms = contractDeadline(scoreBatch, asked_ms);
    const { scored } = beginJudging(c, deps, { groups, spec, run_id, step, deadline_ms });
    const native = notingGaps(
      c,
      scored.then(({ reply }) => reply),
    );
    return answerJson(
      c,
      deps,
      native.then((reply) => ({ value: shapedReply(reply, shape) })),
      shapeSchema(shape),
    );
  });
}

/** Of the reply, the reward's second name with it. */
export const shapeSchema = ({ field }: BatchShape) => ScoreBatchReplySchema.extend({ [field]: perItem });

/** The native reply as this contract has it. */
export function shapedReply(reply: RewardsReply, { places, on_failure, field }: BatchShape): Record<string, unknown> {
  const answer = batchReply(reply, places, on_failure);
  return field === "rewards" ? answer : { ...answer, [field]: answer.rewards };
}

function batchReply(reply: RewardsReply, places: Regrouped["places"], onFailure: number | null): ScoreBatchReply {
  const results = places.map(({ group, member }) => reply.groups[group]?.rollouts[member] as RolloutResult);
  const each = <T>(read: (result: RolloutResult) => T) => results.map(read);
  const failed = results.filter(({ reward }) => reward === null).length;
  const { request_id, run_id, step, spec_hash, logged, warnings } = reply;
  return {
    request_id,
    run_id,
    step,
    spec_hash,
    rewards: each(({ reward }) => reward ?? onFailure),
    metrics: batchMetrics(reply, results.length - failed, failed),
    columns: {
      group: places.map(({ group }) => group),
      error: each(({ error }) => error),
      fallback: each(({ reward }) => (reward === null && onFailure !== null ? 1 : 0)),
      ...(reply.reward_range === undefined && columnsOf(results)),
      wins: each(({ wins }) => wins),
      losses: each(({ losses }) => losses),
      ties: each(({ ties }) => ties),
      undecided: each(({ undecided }) => undecided),
      rank: each(({ rank }) => rank),
    },
    ...(reply.reward_range !== undefined && { components: columnsOf(results), reward_range: reply.reward_range }),
    logged,
    warnings,
  };
}

/** By signal, in the batch's order. */
function columnsOf(results: readonly RolloutResult[]): Record<string, (number | null)[]> {
  const names = Object.keys(results[0]?.components ?? {});
  return Object.fromEntries(names.map((name) => [name, results.map(({ components }) => components[name] ?? null)]));
}

/**
 * The batch's metrics under names that never change; null where one is undefined. Fallback numbers
 * are not in them.
 */
function batchMetrics(reply: RewardsReply, scored: number, failed: number): ScoreBatchReply["metrics"] {
  const { reward_mean, reward_std, parse_rate, tau_b_mean, list_acc } = reply.metrics;
  const generations = reply.groups.reduce((sum, { verifier }: GroupResult) => sum + verifier.generations, 0);
  const counts = { scored, failed, groups: reply.groups.length, generations };
  const times = { verifier_ms: reply.timing_ms.verifier, total_ms: reply.timing_ms.total };
  return { reward_mean, reward_std, parse_rate, tau_b_mean, list_acc, ...counts, ...times };
}

export const scoreBatch: Contract = {
  name: "score_batch",
  scope: "score",
  dialect: null,
  wait_ms: null,
  content: FLAT_CONTENT,
  routes: [{ method: "POST", path: "/v1/score_batch", handler: route }],
};

export const EXAMPLE = {
  run_id: "qwen7b-grpo-3",
  step: 120,
  prompts: [QUESTION, QUESTION],
  completions: [WRONG, [{ role: "assistant", content: CORRECT }]],
  context: { ground_truth: ["6", "6"] },
};

export const page = /* @__PURE__ */ documented(scoreBatch, () => ({
  operations: {
    "POST /v1/score_batch": {
      operationId: "scoreBatch",
      summary: "Rewards for a flat batch: TRL, ms-swift, FAI-RL, verl's batch manager",
      description:
        "Groups are rebuilt from equal prompts (and equal labels, and language); rewards come back in the order of the completions, `null` where there is none. The keys of `metrics` and `columns` never change.",
      query: OptionsSchema,
      request: ScoreBatchRequestSchema,
      // The name that response_field gives holds the rewards once more.
      reply: ScoreBatchReplySchema.catchall(ScoreBatchReplySchema.shape.rewards),
      example: EXAMPLE,
      repeatable: true,
      refusals: [
        ...specRefusals(),
        ...groupRefusals(),
        deepLabel(),
        refused("one length", ".+", "^\\d+ elements? beside \\d+ completions?$"),
        regrouped(),
      ],
    },
  },
  components: { ScoreBatchRequest: ScoreBatchRequestSchema },
  rules: {
    ScoreBatchRequest: {
      ...when(has({ spec: { type: "object", ...has({ overlong: { type: "object" } }) } }), {
        anyOf: ["length_tokens", "completion_ids"].map((name) => has({ [name]: { type: "array" } })),
      }),
      ...fields({
        completions: size(LIMITS.rollouts_per_request_max, 1),
        prompts: size(LIMITS.rollouts_per_request_max, 1),
        response_field: not({
          enum: Object.keys(ScoreBatchReplySchema.shape).filter((name) => name !== "rewards"),
        }),
      }),
    },
  },
}));
