// POST /verl/compute_score: accepts the keyword arguments of verl's reward function as JSON and returns an
// object with constant keys. Samples are gathered into groups in gathered.ts.

import * as z from "zod";
import { said } from "#said";
import { AnyJsonSchema } from "../../core/contract/any-json.ts";
import { RolloutTextSchema } from "../../core/contract/group.ts";
import { StepSchema } from "../../core/contract/request-fields.ts";
import { renderedPrompt, withoutClosing } from "./shared/chat-template.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { trainers } from "./shared/dialects.ts";
import { ExtraInfoSchema } from "./shared/flat-batch.ts";
import { CORRECT, documented, fields, needs, not, QUESTION, sampleOperation, when } from "./shared/page.ts";
import { sampleRoute } from "./shared/sample-route.ts";
import { rewardOrDeclared, SampleLogsSchema, sampleLogs, winShare } from "./shared/sample-score.ts";
import { truthField } from "./shared/stated-facts.ts";

export const VerlRequestSchema = z.object({
  data_source: AnyJsonSchema.optional().meta(
    said("identifies the problem, together with the prompt and `ground_truth`"),
  ),
  solution_str: RolloutTextSchema,
  ground_truth: truthField(),
  extra_info: ExtraInfoSchema.meta(
    said(
      "must contain the prompt as `question` or `prompt`, because verl does not pass it elsewhere; `global_steps`, as written by verl, is the step in the run log",
    ),
  ),
});
const VerlReplySchema = SampleLogsSchema.extend({
  score: z.number(),
  acc: z
    .number()
    .min(0)
    .max(1)
    .meta(
      said(
        "metric that verl's validation shows: the share of comparisons won; without comparisons: the reward scaled to 0..1; without a reward: the declared number",
      ),
    ),
});

const VERSION = "global_steps";

/** Whether a sample is for validation. verl's data preparation scripts write `split` to extra_info. */
function isValidation(extra: unknown): boolean {
  const split = extra !== null && typeof extra === "object" && "split" in extra ? extra.split : undefined;
  return typeof split === "string" && !/^train(ing)?$/i.test(split);
}

/**
 * The step that verl logs: one more than the weights' version, which its rollout servers put in extra_info.
 */
function stepOf(extra: unknown): number | undefined {
  const version = extra !== null && typeof extra === "object" && VERSION in extra ? extra[VERSION] : undefined;
  const { data, success } = StepSchema.safeParse(typeof version === "number" ? version + 1 : undefined);
  return success ? data : undefined;
}

/** Removes the weights' version from the row, because it may differ between the samples of a group. */
function withoutVersion(extra: unknown): unknown {
  if (extra === null || typeof extra !== "object") return extra;
  return Object.fromEntries(Object.entries(extra).filter(([name]) => name !== VERSION));
}

function read(body: Record<string, unknown>) {
  const { data_source, solution_str, ground_truth, extra_info } = contractBody(VerlRequestSchema, body);
  return {
    prompt: typeof extra_info === "string" ? renderedPrompt(extra_info) : extra_info,
    label: [data_source ?? null, ground_truth ?? null],
    stated: {
      truth: ground_truth,
      row: { data_source, ground_truth, extra_info: withoutVersion(body.extra_info) },
      field: "ground_truth",
    },
    rollout: { text: withoutClosing(solution_str) },
    validates: isValidation(body.extra_info),
    log_step: stepOf(body.extra_info),
  };
}

const route = sampleRoute({
  field: "solution_str",
  reply: VerlReplySchema,
  // Retries are left to the client's code.
  retry_ms: 10 * 60_000,
  tries: 1,
  read,
  toReply(sample) {
    return { score: rewardOrDeclared(sample), acc: winShare(sample), ...sampleLogs(sample) };
  },
});

export const verl: Contract = {
  name: "verl",
  scope: "score",
  dialect: trainers,
  // Timeout of verl's rate_limited reward manager.
  wait_ms: 300_000,
  settable: true,
  content: [
    { at: "extra_info.question", carrier: "prompt" },
    { at: "extra_info.prompt", carrier: "prompt" },
    { at: "extra_info", carrier: "row" },
    { at: "solution_str", carrier: "text", side: "answer" },
  ],
  routes: [{ method: "POST", path: "/verl/compute_score", handler: route }],
};

export const EXAMPLE = {
  data_source: "sums",
  solution_str: CORRECT,
  ground_truth: "6",
  extra_info: { question: QUESTION, index: 17 },
};

export const page = /* @__PURE__ */ documented(verl, () => ({
  operations: {
    "POST /verl/compute_score": sampleOperation({
      operationId: "verlComputeScore",
      summary: "verl's compute_score, with its keyword arguments as JSON",
      request: VerlRequestSchema,
      reply: VerlReplySchema,
      example: EXAMPLE,
    }),
  },
  components: { VerlRequest: VerlRequestSchema },
  rules: { VerlRequest: fields({ extra_info: when(not(needs("question")), needs("prompt")) }) },
}));
