// POST /classify: vLLM's classification API, as used by clients of reward models. Returns one probability per
// input, in the same order.
import * as z from "zod";
import { said } from "#said";
import { GroupSchema, RolloutTextSchema } from "../../core/contract/group.ts";
import { invalidRequest } from "../door/validation.ts";
import { OPENED_TURN, splitRendered } from "./shared/chat-template.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { rerankers } from "./shared/dialects.ts";
import { UsageSchema } from "./shared/judging.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, elements, fields, has, not, rendered, size, WRONG, when } from "./shared/page.ts";
import { KritaiSchema } from "./shared/ranking-options.ts";
import { pairRefusals, pairUp, scorePairs, type TextPair } from "./shared/scored-pairs.ts";
import { textRoute } from "./shared/text-route.ts";

const PromptText = GroupSchema.shape.prompt.options[0];
const InputText = RolloutTextSchema;

export const ClassifyRequestSchema = z.object({
  model: z.string().nullish(),
  input: z
    .union([InputText, z.array(InputText).min(1)])
    .meta(said("conversations rendered by a chat template; with `query`: only the answers")),
  query: z
    .union([PromptText, z.array(PromptText).min(1)])
    .nullish()
    .meta(said("one prompt for all inputs, or one prompt per input")),
  use_activation: z.boolean().nullish(),
  kritai: KritaiSchema,
});

export const ClassifyReplySchema = z.object({
  id: z.string(),
  object: z.literal("list"),
  created: z.int(),
  model: z.string(),
  data: z.array(z.object({ index: z.int(), label: z.null(), probs: z.tuple([z.number()]), num_classes: z.literal(1) })),
  usage: UsageSchema,
});

const LISTS = { input: "rollouts_per_request_max", query: "rollouts_per_request_max" } as const;

function pairs({ input, query }: z.output<typeof ClassifyRequestSchema>): TextPair[] {
  if (query !== null && query !== undefined) return pairUp(query, input, ["query", "input"]);
  return [input].flat().map((text, i) => {
    const turn = splitRendered(text);
    if (turn === null)
      throw unreadable(i, "has no assistant turn of a known chat template; send the prompt as `query`");
    const prompt = PromptText.safeParse(turn.prompt);
    if (!prompt.success) throw unreadable(i, `its prompt is ${prompt.error.issues[0]?.message}`);
    return { prompt: prompt.data, text: turn.completion };
  });
}

const unreadable = (i: number, message: string) => invalidRequest([{ path: `input[${i}]`, message }]);

const route = textRoute(scorePairs, () => ({
  schema: ClassifyRequestSchema,
  reply: ClassifyReplySchema,
  read(body) {
    const request = contractBody(ClassifyRequestSchema, body, LISTS);
    const { model = null, use_activation } = request;
    return {
      ...{ model, raw: use_activation === false, paired: () => ({ field: "input", pairs: pairs(request) }) },
      toReply: ({ scores, usage }, { id, created }): z.output<typeof ClassifyReplySchema> => ({
        ...{ id: `classify-${id}`, object: "list", created, model: model ?? "default" },
        data: scores.map((score, index) => ({ index, label: null, probs: [score], num_classes: 1 })),
        usage,
      }),
    };
  },
}));

export const classify: Contract = {
  name: "classify",
  scope: "score",
  dialect: rerankers,
  wait_ms: null,
  content: [
    { at: "query", carrier: "text" },
    { at: "input", carrier: "text", side: "answer" },
  ],
  routes: [{ method: "POST", path: "/classify", handler: route }],
};

export const EXAMPLE = {
  model: "default",
  input: [/* @__PURE__ */ rendered(WRONG), /* @__PURE__ */ rendered(CORRECT)] as const,
};

export const page = /* @__PURE__ */ documented(classify, () => ({
  operations: {
    "POST /classify": {
      operationId: "classify",
      vendor_types: true,
      summary: "vLLM's classification API for reward-model clients",
      description:
        "`probs` contains the score. Inputs are conversations rendered by a chat template. Inputs with equal prompts are compared with each other; a spec without comparisons also scores a single input.",
      query: SharedOptionsSchema,
      request: ClassifyRequestSchema,
      reply: ClassifyReplySchema,
      example: EXAMPLE,
      refusals: pairRefusals(),
    },
  },
  components: { ClassifyRequest: ClassifyRequestSchema },
  rules: {
    ClassifyRequest: {
      ...when(not(has({ query: { type: ["string", "array"] } })), elements("input", { pattern: OPENED_TURN })),
      ...fields({
        // Every spec can score two or more inputs, but only specs without comparisons can score a single one.
        input: {
          anyOf: undefined,
          type: "array",
          items: { type: "string" },
          ...size("rollouts_per_request_max", 2),
        },
        query: size("rollouts_per_request_max"),
      }),
    },
  },
}));
