// POST /v1/score_batch: accepts a flat batch and returns rewards in the same order, with metrics and columns
// whose keys never change.

import { ApiError } from "../../core/faults/errors.ts";
import { type CompiledSpec, compileSpec } from "../../core/reward/compiled-spec.ts";
import { needsLengths } from "../../core/reward/facts.ts";
import { ScoreBatchReplySchema, shapedReply, shapeSchema } from "../routes/score-batch-reply.ts";
import type { Contract } from "./shared/contract.ts";
import { FLAT_CONTENT, readFlatBatch, ScoreBatchRequestSchema } from "./shared/flat-batch.ts";
import { repeatableRoute } from "./shared/group-route.ts";
import { refuseUnmet } from "./shared/judging.ts";
import { OptionsSchema } from "./shared/options.ts";
import {
  CORRECT,
  deepLabel,
  documented,
  fields,
  has,
  not,
  QUESTION,
  refused,
  regrouped,
  size,
  WRONG,
  when,
} from "./shared/page.ts";
import { groupRefusals, specRefusals } from "./shared/refusal.ts";
import { regroup } from "./shared/regrouping.ts";

function requireLengths(has_lengths: boolean, field: string, compiled: CompiledSpec): void {
  refuseUnmet(compiled, field, { lengths: true });
  const who = needsLengths(compiled);
  if (who === null || has_lengths) return;
  const message = `required because the spec has ${who}; alternatively, send completion_ids`;
  throw new ApiError("length_tokens_required", `length_tokens: ${message}.`, {
    errors: [{ path: "length_tokens", message }],
  });
}

const route = repeatableRoute(async (body, { options, spec }) => {
  const { items, field, response_field, ...batch } = readFlatBatch(body, options);
  const chosen = await spec(batch.spec);
  requireLengths(batch.has_lengths, field, compileSpec(chosen));
  const { groups, places } = regroup(items, field);
  const shape = { places, on_failure: options.on_failure, field: response_field };
  return {
    ...{ groups, spec: chosen, logged: batch, later: { route: "score_batch", shape }, reply: shapeSchema(shape) },
    toReply: ({ reply }) => shapedReply(reply, shape),
  };
});

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
        "Completions with the same prompt, label and language form one group. Rewards are in the order of the completions; `null` if a completion has no reward. The keys of `metrics` and `columns` never change.",
      query: OptionsSchema,
      request: ScoreBatchRequestSchema,
      // Allows for the field named by response_field, which repeats the rewards.
      reply: ScoreBatchReplySchema.catchall(ScoreBatchReplySchema.shape.rewards),
      example: EXAMPLE,
      repeatable: true,
      refusals: [
        ...specRefusals(),
        ...groupRefusals(),
        deepLabel(),
        refused("different lengths", ".+", "^\\d+ elements? for \\d+ completions?$"),
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
        completions: size("rollouts_per_request_max", 1),
        prompts: size("rollouts_per_request_max", 1),
        response_field: not({
          enum: Object.keys(ScoreBatchReplySchema.shape).filter((name) => name !== "rewards"),
        }),
      }),
    },
  },
}));
