// POST /slime/reward: the remote_rm API of slime and miles. Accepts one sample and returns a bare number, or
// an object for --reward-key. Samples are gathered into groups in gathered.ts.
import * as z from "zod";
import { said } from "#said";
import { invalidRequest } from "../door/validation.ts";
import { renderedPrompt, withoutClosing } from "./shared/chat-template.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { trainers } from "./shared/dialects.ts";
import { CompletionSchema, PromptSchema } from "./shared/messages.ts";
import { SampleOptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, QUESTION, sampleOperation } from "./shared/page.ts";
import { sampleRoute } from "./shared/sample-route.ts";
import { rewardOrDeclared, SampleLogsSchema, sampleLogs } from "./shared/sample-score.ts";
import { truthField } from "./shared/stated-facts.ts";

export const SlimeRequestSchema = z.object({
  prompt: PromptSchema.meta(said("a string, with or without a rendered chat template, or a chat")),
  response: CompletionSchema,
  label: truthField("samples with the same prompt and different labels are different problems"),
});
export const SlimeReplySchema = z.union([z.number(), SampleLogsSchema.extend({ score: z.number() })]);

/**
 * Fields of a request to SGLang's /generate. On-policy distillation sends the requests for its teacher model
 * to the same --rm-url.
 */
const SGLANG = ["input_ids", "sampling_params", "return_logprob"] as const;

function read(body: Record<string, unknown>) {
  const foreign = SGLANG.find((name) => Object.hasOwn(body, name) && !Object.hasOwn(body, "response"));
  if (foreign !== undefined) {
    const message =
      "this is a request to SGLang's /generate, as sent by on-policy distillation; set its --rm-url to the teacher's server, because this route scores {prompt, response, label}";
    throw invalidRequest([{ path: foreign, message }]);
  }
  const { prompt, response, label } = contractBody(SlimeRequestSchema, body, { prompt: "messages_max" });
  return {
    prompt: typeof prompt === "string" ? renderedPrompt(prompt) : prompt,
    label,
    stated: { truth: label, row: { label }, field: "label" },
    rollout: response.messages === undefined ? { text: withoutClosing(response.text) } : response,
  };
}

const route = sampleRoute({
  field: "response",
  reply: SlimeReplySchema,
  // slime makes 10 attempts of 120 s, with a back-off of up to 31 s. miles makes a single attempt.
  retry_ms: 24 * 60_000,
  tries: 10,
  read,
  toReply(sample, _, { format }) {
    const row = { score: rewardOrDeclared(sample), ...sampleLogs(sample) };
    return format === "object" ? row : row.score;
  },
});

export const slime: Contract = {
  name: "slime",
  scope: "score",
  dialect: trainers,
  wait_ms: 120_000,
  content: [
    { at: "prompt", carrier: "prompt" },
    { at: "response", carrier: "completion", side: "answer" },
    { at: "label", carrier: "row" },
  ],
  routes: [{ method: "POST", path: "/slime/reward", handler: route }],
};

export const EXAMPLE = { prompt: [{ role: "user", content: QUESTION }], response: CORRECT, label: "6" };

export const page = /* @__PURE__ */ documented(slime, () => ({
  operations: {
    "POST /slime/reward": sampleOperation({
      operationId: "slimeReward",
      summary: "slime's and miles' remote_rm",
      query: SampleOptionsSchema,
      request: SlimeRequestSchema,
      reply: SlimeReplySchema,
      example: EXAMPLE,
    }),
  },
  components: { SlimeRequest: SlimeRequestSchema },
}));
