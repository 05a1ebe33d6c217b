// Owns POST /openrlhf/get_reward: OpenRLHF's remote reward model. Lists in and out; one sample is
// gathered with those of other requests. Gathering: gathered.ts.
import * as z from "zod";
import { AnyJsonSchema } from "../../../core/contract/any-json.ts";
import type { GroupResult } from "../../../core/contract/replies.ts";
import { GroupSchema, RolloutSchema } from "../../../core/contract/requests.ts";
import { counted } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { GatheredReward } from "../../../objects/gathering/gathering.ts";
import { sha256Hex } from "../../../scoring/digest.ts";
import { readJsonBody } from "../../http/body.ts";
import type { RouteDeps } from "../../http/deps.ts";
import type { AppContext } from "../../http/scope.ts";
import { jsonReply, slowJson, sparingStatus } from "../../http/slow-json.ts";
import { invalidRequest } from "../../http/validation.ts";
import { contractBody, type ListLimits } from "../body.ts";
import { answerAfter, OPENED_TURN, renderedPrompt, splitRendered } from "../chat-template.ts";
import { shownBody } from "../content/shown-body.ts";
import type { SampleContract } from "../contract.ts";
import { contractDeadline } from "../deadlines.ts";
import { trainers } from "../dialects.ts";
import { CORRECT, rendered } from "../example-texts.ts";
import { regroup } from "../flat/regrouping.ts";
import { beginJudging } from "../judged-request.ts";
import { sampleOptions } from "../options.ts";
import { documented } from "../page.ts";
import { refused, regrouped } from "../refusal.ts";
import { warningHeaders } from "../rerank/ranked-documents.ts";
import { elements, fields, has, not, size, when } from "../schema-rule.ts";
import { type FactualSample, factualSamples, type GatherRequest, gather, type Sample } from "./gathered.ts";
import { sampleOperation } from "./sample-page.ts";
import { isTied, type JudgedSample, rewardOrDeclared, sampleLogs, unitScore } from "./sample-score.ts";
import { TRUTH_SAID } from "./stated-facts.ts";

export const OpenRlhfRequestSchema = z.object({
  query: z.array(z.string()).meta({ description: "prompt and answer as one text, special tokens kept" }),
  prompts: z
    .array(z.string())
    .nullish()
    .meta({ description: "what each query begins with; else its chat template tells" }),
  labels: z.array(AnyJsonSchema).nullish().meta({ description: TRUTH_SAID }),
});
export const OpenRlhfReplySchema = z.object({
  rewards: z.array(z.number()),
  scores: z.array(z.number().min(0).max(1)).meta({
    description:
      "for dynamic filtering, which keeps a group by the mean of these: the rewards on 0..1, by the range that the spec implies; 0 where all of a group are equal, because such a group teaches nothing",
  }),
  extra_logs: z.union([z.record(z.string(), z.array(z.number())), z.object({})]),
});

const LISTS: ListLimits = {
  query: "rollouts_per_request_max",
  prompts: "rollouts_per_request_max",
  labels: "rollouts_per_request_max",
};
const PromptText = GroupSchema.shape.prompt.options[0];

function sampleAt(i: number, query: string, prompt: string | undefined, label: unknown): Sample {
  const fault = (path: string, message: string) => invalidRequest([{ path: `${path}[${i}]`, message }]);
  const asked = prompt === undefined ? splitRendered(query)?.prompt : renderedPrompt(prompt);
  const text = answerAfter(query, prompt ?? "");
  if (asked === undefined || text === null) {
    throw fault("query", "does not begin with its prompt, and has no assistant turn of a known chat template");
  }
  const checked = PromptText.safeParse(asked);
  if (!checked.success) throw fault("prompts", checked.error.issues[0]?.message as string);
  const stated = { truth: label, row: { label }, field: `labels[${i}]` };
  return { prompt: checked.data, label, rollout: { text: RolloutSchema.shape.text.parse(text) }, stated };
}

function samples({ query, prompts, labels }: z.output<typeof OpenRlhfRequestSchema>): Sample[] {
  for (const [name, list] of Object.entries({ prompts, labels })) {
    if (list === null || list === undefined || list.length === query.length) continue;
    throw invalidRequest([{ path: name, message: `${counted(list.length)} beside ${query.length} of query` }]);
  }
  return query.map((text, i) => sampleAt(i, text, prompts?.[i], labels?.[i]));
}

/** Several samples of one request are groups as they stand: nothing says that others will come. */
async function judgeAtOnce(
  c: AppContext,
  deps: RouteDeps,
  { options, compiled: { spec } }: GatherRequest,
  given: readonly FactualSample[],
): Promise<GatheredReward[]> {
  const { groups, places } = regroup(
    given.map((sample) => ({ ...sample, language: null })),
    "query",
  );
  // What is known of a group comes of its label, which is one for all its samples.
  const known = groups.map((group, g) => ({
    ...group,
    ...given[places.findIndex((place) => place.group === g)]?.facts,
  }));
  const deadline_ms = contractDeadline(openRlhf, options.deadline_ms);
  const { run_id, step } = options;
  const { reply } = await beginJudging(c, deps, { groups: known, spec, run_id, step, deadline_ms }).scored;
  const { request_id, spec_hash, logged, warnings } = reply;
  const alike = { request_id, spec_hash, logged, warnings, closed: "full", late: false, attached: false } as const;
  return places.map(({ group, member }) => {
    const { rollouts, metrics } = reply.groups[group] as GroupResult;
    const result = rollouts[member] as GatheredReward["result"];
    return { ...alike, result, metrics, members: rollouts.length };
  });
}

function told(judged: readonly JudgedSample[]): z.output<typeof OpenRlhfReplySchema> {
  const rewards = judged.map(rewardOrDeclared);
  const logs = judged.map(sampleLogs);
  const names = Object.keys(logs[0] ?? {});
  return {
    rewards,
    scores: judged.map((one, i) =>
      isTied(one.judged) ? 0 : unitScore(rewards[i] as number, one.spec, one.judged.members),
    ),
    extra_logs: Object.fromEntries(names.map((name) => [name, logs.map((values) => values[name] as number)])),
  };
}

function route(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const options = sampleOptions(c, deps);
    const { value, text } = await readJsonBody(c.req.raw);
    const asked = samples(contractBody(OpenRlhfRequestSchema, shownBody(c, openRlhf, value), LISTS));
    // A trainer with several URLs sends empty lists to all but the first, and gives up unless each
    // answers.
    if (asked.length === 0) return jsonReply(c, OpenRlhfReplySchema, told([]));
    const { compiled, given } = await factualSamples(c, deps, options, "query", asked);
    const request = { contract: openRlhf, options, compiled, body_hash: await sha256Hex(text) };
    const gathered = given.length === 1 || options.group_size !== undefined;
    const begins = gathered ? sparingStatus(contractDeadline(openRlhf, options.deadline_ms)) : undefined;
    const reply = slowJson(c, deps, OpenRlhfReplySchema, begins);
    const judge = async () => {
      const judged = await (gathered
        ? gather(c, deps, request, given, reply.probe)
        : judgeAtOnce(c, deps, request, given));
      const scope = c.get("scope");
      if (judged.length === 1) scope.id = (judged[0] as GatheredReward).request_id;
      const latency_ms = deps.clock.now() - scope.started_ms;
      const value = told(
        judged.map((one) => ({ judged: one, spec: compiled.spec, on_failure: options.on_failure, latency_ms })),
      );
      return { value, headers: warningHeaders([...new Set(judged.flatMap(({ warnings }) => warnings))]) };
    };
    return reply.answer(judge());
  };
}

export const openRlhf: SampleContract = {
  name: "openrlhf",
  scope: "score",
  dialect: trainers,
  wait_ms: 180_000,
  // 5 x 181 s.
  retry_ms: 16 * 60_000,
  tries: 5,
  unpooled: true,
  content: [
    { at: "prompts", carrier: "text" },
    { at: "query", carrier: "text" },
    { at: "labels", carrier: "rows" },
  ],
  routes: [{ method: "POST", path: "/openrlhf/get_reward", handler: route }],
};

/** Texts as OpenRLHF sends them: rendered, special tokens kept. */
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
        refused("one length", "prompts|labels", "^\\d+ elements? beside \\d+ of query$"),
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
        query: size(LIMITS.rollouts_per_request_max),
        prompts: size(LIMITS.rollouts_per_request_max),
        labels: size(LIMITS.rollouts_per_request_max),
      }),
    },
  },
}));
