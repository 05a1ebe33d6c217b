// Owns POST /azure/grader: Azure's endpoint grader of reinforcement fine-tuning. One sample in, a
// score out. Gathering: gathered.ts.

import * as z from "zod";
import { said } from "#said";
import { AnyJsonSchema } from "../../core/contract/any-json.ts";
import { RolloutTextSchema } from "../../core/contract/requests.ts";
import { isRecord } from "../../core/transcript/kinds.ts";
import { invalidRequest, validAt } from "../door/validation.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { trainers } from "./shared/dialects.ts";
import { PromptSchema, spokenRollout } from "./shared/messages.ts";
import { CORRECT, documented, fields, needs, QUESTION, refused, sampleOperation } from "./shared/page.ts";
import { sampleRoute } from "./shared/sample-route.ts";
import { rewardOrDeclared } from "./shared/sample-score.ts";

/** Names under which datasets hold the prompt, the first that is there. */
const PROMPTS = ["messages", "prompt", "question", "input", "problem"] as const;

const AzureGraderRequestSchema = z.object({
  sample: z
    .object({
      output_text: RolloutTextSchema,
      output_tools: z.array(AnyJsonSchema).nullish().meta(said("calls of the answer")),
      choices: z
        .array(z.looseObject({ message: AnyJsonSchema.optional() }))
        .nullish()
        .meta(said("of the first what its message calls, where output_tools says nothing")),
    })
    .meta(said("output_text is judged, with the calls of output_tools")),
  item: z
    .record(z.string(), AnyJsonSchema)
    .meta(
      said(
        `the dataset's row: the first of ${PROMPTS.join(", ")} is the prompt, and samples of equal rows are one group`,
      ),
    ),
  trace_id: z.string().nullish().meta(said("tells equal samples of a row apart")),
});
export const AzureGraderReplySchema = z.object({ score: z.number() });

function read(body: Record<string, unknown>) {
  const { sample, item } = contractBody(AzureGraderRequestSchema, body);
  const name = PROMPTS.find((field) => item[field] !== undefined && item[field] !== null);
  if (name === undefined) {
    throw invalidRequest([{ path: "item", message: `holds no prompt; needs one of ${PROMPTS.join(", ")}` }]);
  }
  const prompt = validAt(PromptSchema, item[name], ["item", name]);
  const { output_text: content, output_tools, choices } = sample;
  const said = choices?.[0]?.message;
  const calls = (output_tools ?? []).length > 0 ? { tool_calls: output_tools } : {};
  const message = { ...(isRecord(said) && said), role: "assistant", content, ...calls };
  return {
    prompt,
    label: item,
    rollout: spokenRollout([message]),
    stated: { row: item, field: "item" },
  };
}

const route = sampleRoute({
  field: "sample",
  reply: AzureGraderReplySchema,
  // Three retries of ten minutes each.
  retry_ms: 40 * 60_000,
  // A fourth failure discards the rollout, so each request is held until it is judged.
  tries: 1,
  read,
  tell: (sample) => ({ score: rewardOrDeclared(sample) }),
});

export const azureGrader: Contract = {
  name: "azure_grader",
  scope: "score",
  dialect: trainers,
  wait_ms: 10 * 60_000,
  content: [
    ...PROMPTS.map((name) => ({ at: `item.${name}`, carrier: "prompt" }) as const),
    { at: "item", carrier: "row" },
    { at: "sample.output_text", carrier: "text", of: "answer" },
    { at: "sample.output_tools", carrier: "calls", of: "answer" },
    { at: "sample.choices[].message", carrier: "answer", of: "answer" },
    { at: "sample", carrier: "row", of: "answer" },
  ],
  routes: [{ method: "POST", path: "/azure/grader", handler: route }],
};

export const EXAMPLE = {
  sample: { output_text: CORRECT, choices: [], output_json: null, output_tools: [] },
  item: { messages: [{ role: "user", content: QUESTION }], answer: "6" },
  trace_id: "trace_1",
};

export const page = /* @__PURE__ */ documented(azureGrader, () => ({
  operations: {
    "POST /azure/grader": sampleOperation({
      operationId: "azureEndpointGrader",
      summary: "Azure's endpoint grader",
      description:
        "A sample without a reward is an HTTP error, which Azure repeats three times, then it discards the rollout.",
      request: AzureGraderRequestSchema,
      reply: AzureGraderReplySchema,
      example: EXAMPLE,
      refusals: [
        refused("a prompt in the row", "item(\\..+)?(\\[\\].*)?"),
        refused("how deep a row nests", "item\\..+", "label_depth_max"),
      ],
    }),
  },
  components: { AzureGraderRequest: AzureGraderRequestSchema },
  rules: { AzureGraderRequest: fields({ item: { anyOf: PROMPTS.map((name) => needs(name)) } }) },
}));
