// POST /openrlhf/get_reward: OpenRLHF's remote reward model API, which sends lists of samples. A single
// sample is gathered with those of other requests (gathered.ts).

import * as z from "zod";
import { said } from "#said";
import { AnyJsonSchema } from "../../core/contract/any-json.ts";
import { GroupSchema, RolloutTextSchema } from "../../core/contract/group.ts";
import { counted } from "../../core/faults/limit-advice.ts";
import { invalidRequest } from "../door/validation.ts";
import { answerAfter, OPENED_TURN, renderedPrompt, splitRendered } from "./shared/chat-template.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { trainers } from "./shared/dialects.ts";
import {
  CORRECT,
  documented,
  elements,
  fields,
  has,
  not,
  refused,
  regrouped,
  rendered,
  sampleOperation,
  size,
  when,
} from "./shared/page.ts";
import { samplesRoute } from "./shared/sample-route.ts";
import { isTied, type JudgedSample, rewardOrDeclared, sampleLogs, unitScore } from "./shared/sample-score.ts";
import { TRUTH_SAID } from "./shared/stated-facts.ts";

export const OpenRlhfRequestSchema = z.object({
  query: z.array(z.string()).meta(said("prompt and answer as one text, including special tokens")),
  prompts: z
    .array(z.string())
    .nullish()
    .meta(said("prompt at the start of each query; default: detected from the chat template")),
  labels: z.array(AnyJsonSchema).nullish().meta({ description: TRUTH_SAID }),
});
export const OpenRlhfReplySchema = z.object({
  rewards: z.array(z.number()),
  scores: z
    .array(z.number().min(0).max(1))
    .meta(
      said(
        "rewards scaled to 0..1 by the range that the spec implies; 0 if all rewards of a group are equal, because such a group gives no training signal. Used for dynamic filtering, which selects groups by their mean score",
      ),
    ),
  extra_logs: z.union([z.record(z.string(), z.array(z.number())), z.object({})]),
});

const LISTS = {
  query: "rollouts_per_request_max",
  prompts: "rollouts_per_request_max",
  labels: "rollouts_per_request_max",
} as const;
const PromptText = GroupSchema.shape.prompt.options[0];

function sampleAt(i: number, query: string, prompt: string | undefined, label: unknown) {
  const fault = (path: string, message: string) => invalidRequest([{ path: `${path}[${i}]`, message }]);
  const asked = prompt === undefined ? splitRendered(query)?.prompt : renderedPrompt(prompt);
  const text = answerAfter(query, prompt ?? "");
  if (asked === undefined || text === null) {
    throw fault("query", "does not begin with its prompt and has no assistant turn of a known chat template");
  }
  const checked = PromptText.safeParse(asked);
  if (!checked.success) throw fault("prompts", checked.error.issues[0]?.message as string);
  const stated = { truth: label, row: { label }, field: `labels[${i}]` };
  return { prompt: checked.data, label, rollout: { text: RolloutTextSchema.parse(text) }, stated };
}

function read(body: Record<string, unknown>) {
  const { query, prompts, labels } = contractBody(OpenRlhfRequestSchema, body, LISTS);
  for (const [name, list] of Object.entries({ prompts, labels })) {
    if (list === null || list === undefined || list.length === query.length) continue;
    throw invalidRequest([{ path: name, message: `${counted(list.length)}, but query has ${query.length}` }]);
  }
  return query.map((text, i) => sampleAt(i, text, prompts?.[i], labels?.[i]));
}

function openRlhfReply(judged: readonly JudgedSample[]): z.output<typeof OpenRlhfReplySchema> {
  const rewards = judged.map(rewardOrDeclared);
  const logs = judged.map(sampleLogs);
  const names = Object.keys(logs[0] ?? {});
  return {
    rewards,
    scores: judged.map((sample, i) =>
      isTied(sample.judged) ? 0 : unitScore(rewards[i] as number, sample.spec, sample.judged.members),
    ),
    extra_logs: Object.fromEntries(names.map((name) => [name, logs.map((values) => values[name] as number)])),
  };
}

const route = samplesRoute({
  field: "query",
  reply: OpenRlhfReplySchema,
  // OpenRLHF makes 5 attempts of 181 s.
  retry_ms: 16 * 60_000,
  tries: 5,
  unpooled: true,
  read,
  toReply: openRlhfReply,
});

export const openRlhf: Contract = {
  name: "openrlhf",
  scope: "score",
  dialect: trainers,
  wait_ms: 180_000,
  content: [
    { at: "prompts", carrier: "text" },
    { at: "query", carrier: "text" },
    { at: "labels", carrier: "rows" },
  ],
  routes: [{ method: "POST", path: "/openrlhf/get_reward", handler: route }],
};

/** An example request. OpenRLHF sends conversations rendered by a chat template, with special tokens. */
export const EXAMPLE = {
  query: [/* @__PURE__ */ rendered(CORRECT, "<|im_end|>")],
  prompts: [/* @__PURE__ */ rendered("", "")],
  labels: ["6"],
};

export const page = /* @__PURE__ */ documented(openRlhf, () => ({
  operations: {
    "POST /openrlhf/get_reward": sampleOperation({
      operationId: "openRlhfReward",
      summary: "OpenRLHF's remote reward model",
      description:
        "Several samples in one request are grouped by equal prompts and judged at once, unless group_size is given.",
      request: OpenRlhfRequestSchema,
      reply: OpenRlhfReplySchema,
      example: EXAMPLE,
      refusals: [
        refused("different lengths", "prompts|labels", "^\\d+ elements?, but query has \\d+$"),
        regrouped(),
        refused("its prompt", "query\\[\\]", "does not begin with its prompt", "prompts"),
      ],
    }),
  },
  components: { OpenRlhfRequest: OpenRlhfRequestSchema },
  rules: {
    OpenRlhfRequest: {
      ...when(not(has({ prompts: { type: "array" } })), elements("query", { pattern: OPENED_TURN })),
      ...fields({
        query: size("rollouts_per_request_max"),
        prompts: size("rollouts_per_request_max"),
        labels: size("rollouts_per_request_max"),
      }),
    },
  },
}));
