// Owns POST /nemo-gym/compare: NeMo-Gym's genrm_compare, all responses to one conversation at once
// and a reward each.
import * as z from "zod";
import type { GroupResult } from "../../../core/contract/replies.ts";
import { bound } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { verdictIn, winnerOf } from "../../../core/judges/verdicts.ts";
import { mean, populationStd } from "../../../core/math/stats.ts";
import type { AnySpec } from "../../../core/signals/compiled-spec.ts";
import { compileSpec } from "../../../core/signals/compiled-spec.ts";
import type { VerdictRow } from "../../../scoring/run-log-port.ts";
import type { ScoredRequest } from "../../../scoring/score-and-log.ts";
import { readJson } from "../../http/body.ts";
import type { RouteDeps } from "../../http/deps.ts";
import type { AppContext } from "../../http/scope.ts";
import { answerJson } from "../../http/slow-json.ts";
import { invalidRequest } from "../../http/validation.ts";
import { resolveSpec } from "../../routes/specs.ts";
import { contractBody } from "../body.ts";
import { shownBody } from "../content/shown-body.ts";
import type { Contract } from "../contract.ts";
import { contractDeadline } from "../deadlines.ts";
import { trainers } from "../dialects.ts";
import { CORRECT, QUESTION, WRONG } from "../example-texts.ts";
import { beginJudging, refuseUnmet } from "../judged-request.ts";
import { MessageSchema, PromptSchema } from "../messages.ts";
import { OptionsSchema, urlOptions } from "../options.ts";
import { documented } from "../page.ts";
import { specWithPrinciple } from "../principle.ts";
import { noChoice, refused } from "../refusal.ts";
import { unjudged } from "../rerank/unjudged.ts";
import { fields, size } from "../schema-rule.ts";
import { VERIFY_EXAMPLE } from "./nemo-gym-page.ts";
import { GymRolloutSchema, ResponseSchema } from "./nemo-gym-response.ts";

const principle = z
  .string()
  .min(1)
  .max(...bound("slot_chars"))
  .nullish()
  .meta({ description: "what to prefer; the spec's judge must have a place for it" });

const CompareRequestSchema = z.object({
  conversation_history: z.array(MessageSchema).min(1).meta({ description: "the turns before the responses" }),
  response_objs: z.array(ResponseSchema).min(1).meta({ description: "OpenAI's Responses, one a candidate" }),
  principle,
});

const score = z.number().nullable();
export const CompareReplySchema = z.object({
  rewards: z.array(z.number()).meta({ description: "in the order of response_objs" }),
  comparison_results: z.array(
    z.object({
      response_i: z.int(),
      response_j: z.int(),
      judge_idx: z.int().meta({ description: "the sample's number" }),
      score_1: score,
      score_2: score,
      ranking: z.null().meta({ description: "a scale of the gym's own judge" }),
      winner: z
        .enum(["response_i", "response_j"])
        .nullable()
        .meta({ description: "of a judge that names the better one" }),
    }),
  ),
  metrics: z.record(z.string(), z.number()).meta({
    description:
      "parse_rate (1 when no answer was needed, 0 when none came); of a judge that scores mean_individual_score, std_individual_score, tiebreak_usage_rate",
  }),
});
type CompareReply = z.output<typeof CompareReplySchema>;

const ReadSchema = z.object({
  conversation_history: PromptSchema,
  response_objs: z.array(GymRolloutSchema).min(1),
  principle,
});

/** Throws `invalid_request` for a principle that the spec's judge would not be told. */
function specFor(spec: AnySpec, told: string | null | undefined): AnySpec {
  if (told == null) return spec;
  const informed = specWithPrinciple(spec, told);
  if (informed !== null) return informed;
  const message =
    "the spec's judge has no place for it; name a spec whose preset has, such as rewardanything or rubric-rm";
  throw invalidRequest([{ path: "principle", message }]);
}

const WINNERS = ["response_i", "response_j"] as const;

/** Of comparisons of two, as the gym lists them. */
function comparisons(rows: readonly VerdictRow[]): CompareReply["comparison_results"] {
  return rows.flatMap((row) => {
    const { order, sample, scores, error } = row;
    const [first, second, ...others] = order;
    if (first === undefined || second === undefined || others.length > 0 || error !== null) return [];
    const [score_1 = null, score_2 = null] = scores ?? [];
    const place = scores === null ? winnerOf(verdictIn(row)) : null;
    const winner = place === null ? null : (WINNERS[place] ?? null);
    return [{ response_i: first, response_j: second, judge_idx: sample, score_1, score_2, ranking: null, winner }];
  });
}

function metricsOf(group: GroupResult, results: CompareReply["comparison_results"]): CompareReply["metrics"] {
  const scored = results.filter(({ score_1, score_2 }) => score_1 !== null && score_2 !== null);
  const scores = scored.flatMap(({ score_1, score_2 }) => [score_1 as number, score_2 as number]);
  return {
    parse_rate: group.metrics.parse_rate ?? (group.verifier.generations === 0 ? 1 : 0),
    ...(scores.length > 0 && {
      mean_individual_score: mean(scores),
      std_individual_score: populationStd(scores),
      tiebreak_usage_rate: scored.filter(({ score_1, score_2 }) => score_1 === score_2).length / scored.length,
    }),
  };
}

/** The gym's `rewards` are numbers: without one, and without a declared one, the request fails. */
function compareReply(scored: ScoredRequest, on_failure: number | null): CompareReply {
  const group = scored.reply.groups[0] as GroupResult;
  const rewards = group.rollouts.map(({ reward }) => {
    const told = reward ?? on_failure;
    if (told === null) throw unjudged(scored);
    return told;
  });
  const comparison_results = comparisons(scored.groups[0]?.verdicts ?? []);
  return { rewards, comparison_results, metrics: metricsOf(group, comparison_results) };
}

function compare(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const options = urlOptions(c);
    const body = shownBody(c, nemoGymCompare, await readJson(c.req.raw));
    const lists = { conversation_history: "messages_max", response_objs: "rollouts_per_group_max" } as const;
    const read = contractBody(ReadSchema, body, lists);
    const rollouts = read.response_objs;
    const spec = specFor(await resolveSpec(deps, c.get("scope"), options.spec ?? "default"), read.principle);
    const measured = rollouts.every(({ length_tokens }) => length_tokens !== undefined);
    refuseUnmet(compileSpec(spec), "response_objs[].usage.output_tokens", { lengths: measured });
    const { run_id, step } = options;
    const deadline_ms = contractDeadline(nemoGymCompare, options.deadline_ms);
    const groups = [{ prompt: read.conversation_history, rollouts }];
    const { scored } = beginJudging(c, deps, { groups, spec, run_id, step, deadline_ms });
    const telling = scored.then((done) => ({ value: compareReply(done, options.on_failure) }));
    return answerJson(c, deps, telling, CompareReplySchema);
  };
}

export const nemoGymCompare: Contract = {
  name: "nemo_gym_compare",
  scope: "score",
  dialect: trainers,
  // The gym itself sets no time-out.
  wait_ms: null,
  content: [
    { at: "conversation_history", carrier: "prompt" },
    { at: "response_objs[].output", carrier: "output", of: "answer" },
    { at: "response_objs", carrier: "rows", of: "answer" },
  ],
  routes: [{ method: "POST", path: "/nemo-gym/compare", handler: compare }],
};

const responded = (text: string) => ({
  ...VERIFY_EXAMPLE.response,
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
      summary: "NeMo-Gym's genrm_compare: a reward for each of several responses",
      description:
        "Rewards are those of the spec. A response without one fails the request (5xx: the gym dispatches it again), unless `on_failure` names a number.",
      query: OptionsSchema.omit({ response_field: true }),
      request: CompareRequestSchema,
      reply: CompareReplySchema,
      example: EXAMPLE,
      refusals: [
        refused("a judge that takes a principle", "principle", "no place for it"),
        { why: "nobody to compare with", status: 400, code: "group_too_small" },
        noChoice(),
      ],
    },
  },
  components: { NemoGymCompareRequest: CompareRequestSchema },
  rules: {
    NemoGymCompareRequest: fields({
      conversation_history: size(LIMITS.messages_max, 1),
      response_objs: size(LIMITS.rollouts_per_group_max, 1),
    }),
  },
}));
