// POST /score and /v1/score: vLLM's score API, which returns a score for each pair of strings.
import * as z from "zod";
import { GroupSchema, RolloutTextSchema } from "../../core/contract/group.ts";
import { invalidRequest } from "../door/validation.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { rerankers } from "./shared/dialects.ts";
import { withPartsAsTexts } from "./shared/document-fields.ts";
import { UsageSchema } from "./shared/judging.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, has, type Operation, QUESTION, size, WRONG, when } from "./shared/page.ts";
import { KritaiSchema } from "./shared/ranking-options.ts";
import { pairRefusals, pairUp, scorePairs } from "./shared/scored-pairs.ts";
import { textRoute } from "./shared/text-route.ts";

/** vLLM's names for the two sides of a pair, in order of precedence. */
const SIDES = [
  ["queries", "documents"],
  ["queries", "items"],
  ["data_1", "data_2"],
  ["text_1", "text_2"],
] as const;

const PromptText = GroupSchema.shape.prompt.options[0];
const CandidateText = RolloutTextSchema;
const left = z.union([PromptText, z.array(PromptText).min(1)]).nullish();
const right = z.union([CandidateText, z.array(CandidateText).min(1)]).nullish();

export const ScoreRequestSchema = z.object({
  model: z.string().nullish(),
  queries: left,
  documents: right,
  items: right,
  data_1: left,
  data_2: right,
  text_1: left,
  text_2: right,
  use_activation: z.boolean().nullish(),
  kritai: KritaiSchema,
});

export const ScoreReplySchema = z.object({
  id: z.string(),
  object: z.literal("list"),
  created: z.int(),
  model: z.string(),
  data: z.array(z.object({ index: z.int(), object: z.literal("score"), score: z.number() })),
  usage: UsageSchema,
});

const LISTS = Object.fromEntries(SIDES.flat().map((name) => [name, "rollouts_per_request_max" as const]));

function sides(request: z.output<typeof ScoreRequestSchema>) {
  for (const names of SIDES) {
    const [first, second] = [request[names[0]], request[names[1]]];
    if (first == null || second == null) continue;
    const other = SIDES.map(([, right]) => right).find((name) => name !== names[1] && request[name] != null);
    if (other === undefined) return { field: names[1], pairs: pairUp(first, second, names) };
    throw invalidRequest([
      { path: other, message: `cannot be combined with \`${names.join("` and `")}\`; send one pair of fields` },
    ]);
  }
  const wanted = SIDES.map((names) => names.join(" + ")).join(", or ");
  throw invalidRequest([{ path: "$", message: `one pair of fields is required: ${wanted}` }]);
}

const route = textRoute(scorePairs, () => ({
  schema: ScoreRequestSchema,
  reply: ScoreReplySchema,
  read(body) {
    const request = contractBody(ScoreRequestSchema, withPartsAsTexts(body, SIDES.flat()), LISTS);
    const { model = null, use_activation } = request;
    return {
      ...{ model, raw: use_activation === false, paired: () => sides(request) },
      toReply: ({ scores, usage }, { id, created }): z.output<typeof ScoreReplySchema> => ({
        ...{ id: `score-${id}`, object: "list", created, model: model ?? "default" },
        data: scores.map((score, index) => ({ index, object: "score", score })),
        usage,
      }),
    };
  },
}));

export const score: Contract = {
  name: "score",
  scope: "score",
  dialect: rerankers,
  wait_ms: null,
  content: SIDES.flatMap(([left, right]) => [
    { at: left, carrier: "documents" } as const,
    { at: right, carrier: "documents", side: "answer" } as const,
  ]),
  routes: [
    { method: "POST", path: "/score", handler: route },
    { method: "POST", path: "/v1/score", handler: route },
  ],
};

export const EXAMPLE = { model: "default", queries: QUESTION, documents: [WRONG, CORRECT] };

const operation = (operationId: string): Operation => ({
  operationId,
  vendor_types: true,
  summary: "vLLM's scores of text pairs, in the order of the input",
  description:
    "Texts with equal prompts are compared with each other; a spec without comparisons also scores a single text. Every pair gets a score, or the request fails.",
  query: SharedOptionsSchema,
  request: ScoreRequestSchema,
  reply: ScoreReplySchema,
  example: EXAMPLE,
  refusals: pairRefusals(),
});

/**
 * The reference page. A side may also be a single string, but there must be at least two strings. The rule is
 * wrapped in a condition, because code generators would otherwise create a type for each alternative.
 */
export const page = /* @__PURE__ */ documented(score, () => ({
  operations: { "POST /score": operation("scorePairs"), "POST /v1/score": operation("scorePairsV1") },
  components: { ScoreRequest: ScoreRequestSchema, ScoreReply: ScoreReplySchema },
  rules: {
    ScoreRequest: when(
      { type: "object" },
      {
        anyOf: SIDES.map(([left, right]) =>
          has({
            [left]: size("rollouts_per_request_max"),
            [right]: { type: "array", ...size("rollouts_per_request_max", 2) },
          }),
        ),
      },
    ),
  },
}));
