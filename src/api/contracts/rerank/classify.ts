// Owns POST /classify: vLLM's classification as reward-model clients use it, one probability a
// text, in input order.
import * as z from "zod";
import { GroupSchema, RolloutSchema } from "../../../core/contract/requests.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { readJson } from "../../http/body.ts";
import type { RouteDeps } from "../../http/deps.ts";
import type { AppContext } from "../../http/scope.ts";
import { answerJson } from "../../http/slow-json.ts";
import { invalidRequest } from "../../http/validation.ts";
import { contractBody, type ListLimits } from "../body.ts";
import { OPENED_TURN, splitRendered } from "../chat-template.ts";
import { shownBody } from "../content/shown-body.ts";
import type { Contract } from "../contract.ts";
import { rerankers } from "../dialects.ts";
import { CORRECT, rendered, WRONG } from "../example-texts.ts";
import { SharedOptionsSchema } from "../options.ts";
import { documented } from "../page.ts";
import { elements, fields, has, not, size, when } from "../schema-rule.ts";
import { warningHeaders } from "./ranked-documents.ts";
import { KritaiSchema, rankingOptions } from "./ranking-options.ts";
import { UsageSchema } from "./score.ts";
import { pairRefusals, pairUp, scorePairs, type TextPair } from "./scored-pairs.ts";

const PromptText = GroupSchema.shape.prompt.options[0];
const InputText = RolloutSchema.shape.text;

export const ClassifyRequestSchema = z.object({
  model: z.string().nullish(),
  input: z.union([InputText, z.array(InputText).min(1)]).meta({
    description: "conversations rendered by a chat template; with `query`, the answers alone",
  }),
  query: z
    .union([PromptText, z.array(PromptText).min(1)])
    .nullish()
    .meta({ description: "the prompt of all inputs, or one each" }),
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

const LISTS: ListLimits = { input: "rollouts_per_request_max", query: "rollouts_per_request_max" };
const listed = (side: string | string[]) => (typeof side === "string" ? [side] : side);

function pairs({ input, query }: z.output<typeof ClassifyRequestSchema>): TextPair[] {
  const texts = listed(input);
  if (query !== null && query !== undefined) return pairUp(listed(query), texts, ["query", "input"]);
  return texts.map((text, i) => {
    const turn = splitRendered(text);
    if (turn === null) throw unreadable(i, "no assistant turn of a known chat template; send the prompt as query");
    const prompt = PromptText.safeParse(turn.prompt);
    if (!prompt.success) throw unreadable(i, `its prompt is ${prompt.error.issues[0]?.message}`);
    return { prompt: prompt.data, text: turn.completion };
  });
}

const unreadable = (i: number, message: string) => invalidRequest([{ path: `input[${i}]`, message }]);

function route(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const body = shownBody(c, classify, await readJson(c.req.raw));
    const request = contractBody(ClassifyRequestSchema, body, LISTS);
    const options = rankingOptions(c, body, ClassifyRequestSchema);
    const model = request.model ?? null;
    const raw = request.use_activation === false;
    const asked = { contract: classify, field: "input", pairs: pairs(request), model, raw, options };
    const told = async () => {
      const { scores, usage, warnings } = await scorePairs(c, deps, asked);
      const value: z.output<typeof ClassifyReplySchema> = {
        id: `classify-${c.get("scope").id}`,
        object: "list",
        created: Math.floor(deps.clock.date().getTime() / 1000),
        model: model ?? "default",
        data: scores.map((score, index) => ({ index, label: null, probs: [score], num_classes: 1 })),
        usage,
      };
      return { value, headers: warningHeaders(warnings) };
    };
    return answerJson(c, deps, told(), ClassifyReplySchema);
  };
}

export const classify: Contract = {
  name: "classify",
  scope: "score",
  dialect: rerankers,
  wait_ms: null,
  content: [
    { at: "query", carrier: "text" },
    { at: "input", carrier: "text", of: "answer" },
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
      summary: "vLLM's classification as reward-model clients read it",
      description:
        "`probs` holds the one score. Inputs are conversations rendered by a chat template; those of equal prompt are compared with each other.",
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
        // Several, though one text is taken: it would have nothing to be compared with.
        input: {
          anyOf: undefined,
          type: "array",
          items: { type: "string" },
          ...size(LIMITS.rollouts_per_request_max, 2),
        },
        query: size(LIMITS.rollouts_per_request_max),
      }),
    },
  },
}));
