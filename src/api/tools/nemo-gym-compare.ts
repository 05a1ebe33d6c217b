// POST /nemo-gym/compare, in the format of NeMo-Gym's genrm_compare: accepts all responses to one
// conversation and returns a reward per response.
import * as z from "zod";
import { said } from "#said";
import { type VerdictColumns, verdictIn, winnerOf } from "../../core/judges/verdicts.ts";
import { mean, populationStd } from "../../core/math/stats.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { trainers } from "./shared/dialects.ts";
import { groupRoute } from "./shared/group-route.ts";
import { MessageSchema, PromptSchema } from "./shared/messages.ts";
import { GymRolloutSchema, RESPONSE_EXAMPLE, ResponseSchema } from "./shared/nemo-gym-response.ts";
import { OptionsSchema } from "./shared/options.ts";
import { CORRECT, documented, fields, noChoice, QUESTION, refused, size, WRONG } from "./shared/page.ts";
import { PrincipleSchema, requirePrinciple } from "./shared/principle.ts";
import { unjudged } from "./shared/unjudged.ts";

const CompareRequestSchema = z.object({
  conversation_history: z.array(MessageSchema).min(1).meta(said("turns before the responses")),
  response_objs: z.array(ResponseSchema).min(1).meta(said("OpenAI Responses objects, one per candidate")),
  principle: PrincipleSchema,
});

const WINNERS = ["response_i", "response_j"] as const;
const score = z.number().nullable();
const ComparisonSchema = z.object({
  response_i: z.int(),
  response_j: z.int(),
  judge_idx: z.int().meta(said("index of the sample")),
  score_1: score,
  score_2: score,
  ranking: z.null().meta(said("always null: a scale of NeMo-Gym's own verifier")),
  winner: z
    .enum(WINNERS)
    .nullable()
    .meta(said("the better response, if the verifier chooses one; null for a verifier that scores")),
});
type Comparison = z.output<typeof ComparisonSchema>;

export const CompareReplySchema = z.object({
  rewards: z.array(z.number()).meta(said("rewards in the order of `response_objs`")),
  comparison_results: z.array(ComparisonSchema),
  metrics: z
    .record(z.string(), z.number())
    .meta(
      said(
        "`parse_rate` (1 if no answer was needed, 0 if no answer arrived); with a verifier that scores also `mean_individual_score`, `std_individual_score` and `tiebreak_usage_rate`",
      ),
    ),
});

const ReadSchema = z.object({
  conversation_history: PromptSchema,
  response_objs: z.array(GymRolloutSchema).min(1),
  principle: PrincipleSchema,
});

interface Shown extends VerdictColumns {
  order: readonly number[];
  sample: number;
  error: string | null;
}

/** A pairwise comparison in NeMo-Gym's format; empty for failed comparisons and those of other sizes. */
function comparison(row: Shown): Comparison[] {
  const { order, sample, scores, error } = row;
  const [first, second, ...others] = order;
  if (first === undefined || second === undefined || others.length > 0 || error !== null) return [];
  const [score_1 = null, score_2 = null] = scores ?? [];
  const place = scores === null ? winnerOf(verdictIn(row)) : null;
  const winner = place === null ? null : (WINNERS[place] ?? null);
  return [{ response_i: first, response_j: second, judge_idx: sample, score_1, score_2, ranking: null, winner }];
}

function figuresOf(results: readonly Comparison[]): Record<string, number> {
  const scored = results.filter(({ score_1, score_2 }) => score_1 !== null && score_2 !== null);
  const scores = scored.flatMap(({ score_1, score_2 }) => [score_1 as number, score_2 as number]);
  if (scores.length === 0) return {};
  return {
    mean_individual_score: mean(scores),
    std_individual_score: populationStd(scores),
    tiebreak_usage_rate: scored.filter(({ score_1, score_2 }) => score_1 === score_2).length / scored.length,
  };
}

const compare = groupRoute(async (body, { options, spec }) => {
  const lists = { conversation_history: "messages_max", response_objs: "rollouts_per_group_max" } as const;
  const { conversation_history: prompt, response_objs: rollouts, principle } = contractBody(ReadSchema, body, lists);
  return {
    groups: [{ prompt, rollouts }],
    spec: requirePrinciple(await spec(options.spec ?? "default"), principle),
    field: "response_objs[].usage.output_tokens",
    has: { lengths: rollouts.every(({ length_tokens }) => length_tokens !== undefined) },
    reply: CompareReplySchema,
    toReply(scored): z.output<typeof CompareReplySchema> {
      const comparison_results = scored.groups.flatMap(({ verdicts }) => verdicts.flatMap(comparison));
      const [parse_rate = 1] = scored.reply.groups.map(
        ({ metrics, verifier }) => metrics.parse_rate ?? (verifier.generations === 0 ? 1 : 0),
      );
      // NeMo-Gym requires numbers, so the request fails if a reward is missing and on_failure is null.
      const rewards = scored.reply.groups.flatMap((group) =>
        group.rollouts.map(({ reward }) => {
          const value = reward ?? options.on_failure;
          if (value === null) throw unjudged(scored);
          return value;
        }),
      );
      return { rewards, comparison_results, metrics: { parse_rate, ...figuresOf(comparison_results) } };
    },
  };
});

export const nemoGymCompare: Contract = {
  name: "nemo_gym_compare",
  scope: "score",
  dialect: trainers,
  // NeMo-Gym sets no timeout.
  wait_ms: null,
  content: [
    { at: "conversation_history", carrier: "prompt" },
    { at: "response_objs[].output", carrier: "output", side: "answer" },
    { at: "response_objs", carrier: "rows", side: "answer" },
  ],
  routes: [{ method: "POST", path: "/nemo-gym/compare", handler: compare }],
};

const responded = (text: string) => ({
  ...RESPONSE_EXAMPLE,
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }],
});

export const EXAMPLE = {
  conversation_history: [{ role: "user", content: QUESTION }],
  response_objs: [WRONG, CORRECT].map(responded),
};

export const page = /* @__PURE__ */ documented(nemoGymCompare, () => ({
  operations: {
    "POST /nemo-gym/compare": {
      operationId: "nemoGymCompare",
      summary: "NeMo-Gym's genrm_compare: one reward per response",
      description:
        "Returns the spec's rewards. A response without a reward fails the request (5xx, so NeMo-Gym dispatches it again), unless `on_failure` is a number.",
      query: OptionsSchema.omit({ response_field: true }),
      request: CompareRequestSchema,
      reply: CompareReplySchema,
      example: EXAMPLE,
      refusals: [
        refused("the preset has no slot for a principle", "principle", "no slot for it"),
        { why: "nothing to compare with", status: 400, code: "group_too_small" },
        noChoice(),
      ],
    },
  },
  components: { NemoGymCompareRequest: CompareRequestSchema },
  rules: {
    NemoGymCompareRequest: fields({
      conversation_history: size("messages_max", 1),
      response_objs: size("rollouts_per_group_max", 1),
    }),
  },
}));
