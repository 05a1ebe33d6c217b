// Owns POST /v1/fine_tuning/alpha/graders/run and /validate: OpenAI's graders, answered in their
// shape. The spec that a grader is: grader-spec.ts.

import * as z from "zod";
import { said } from "#said";
import { canonicalJson } from "../../core/contract/spec.ts";
import { FactualGroupSchema } from "../../core/reward/requests.ts";
import { validated } from "../door/validation.ts";
import { failedReply, RunReplySchema, runReply } from "./grader-reply.ts";
import { GraderSchema, SampleSchema } from "./grader-schema.ts";
import { graderSpec, inGraderTerms, requireModels } from "./grader-spec.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { openai } from "./shared/dialects.ts";
import { checkRoute, groupRoute } from "./shared/group-route.ts";
import { OptionsSchema } from "./shared/options.ts";
import { documented, type Operation, refused } from "./shared/page.ts";

const { item } = FactualGroupSchema.shape as { item: z.ZodType };

const RunGraderRequestSchema = z.object({
  grader: GraderSchema,
  model_sample: SampleSchema,
  item: item.nullish().meta(said("the dataset's row, which templates name as `item`")),
});
const ValidateGraderRequestSchema = z.object({ grader: GraderSchema });
const ValidateReplySchema = z.object({
  grader: z.record(z.string(), z.unknown()).meta(said("as it came")),
  spec_hash: z.string(),
  spec: z
    .record(z.string(), z.unknown())
    .meta(said("the spec that the grader is here, for PUT /v1/specs/:name and /v1/rewards")),
});

/**
 * One sample as a group of its own, as /v1/rewards has groups: a grader compares nothing. Its row
 * tells a run's groups apart in the log; the verifier never sees it so.
 */
function groupOf({ model_sample: { text, messages }, item: row }: z.output<typeof RunGraderRequestSchema>) {
  const rollout = messages === undefined ? { text } : { messages };
  const group = { prompt: "", rollouts: [rollout], item: row ?? {} };
  const { groups } = validated(z.object({ groups: z.tuple([FactualGroupSchema]) }), { groups: [group] });
  return { ...groups[0], prompt: canonicalJson(row ?? null) };
}

const run = groupRoute(async (given, { spec, options: { on_failure } }) => {
  const body = contractBody(RunGraderRequestSchema, given);
  const { grader } = body;
  const graded = graderSpec(grader);
  const { parts } = graded;
  if (body.model_sample.messages !== undefined) requireModels(parts);
  try {
    return {
      spec: await spec(graded.spec),
      groups: [groupOf(body)],
      reply: RunReplySchema,
      tell: (scored) => runReply(grader, parts, scored, on_failure),
      failed: (error) => failedReply(error, grader, graded, on_failure),
    };
  } catch (error) {
    throw inGraderTerms(error, graded);
  }
});

const validate = checkRoute(async (body, check) => {
  const graded = graderSpec(contractBody(ValidateGraderRequestSchema, body).grader);
  const { spec, spec_hash } = await check(graded.spec).catch((error) => {
    throw inGraderTerms(error, graded);
  });
  return { grader: body.grader, spec_hash, spec };
});

export const graders: Contract = {
  name: "graders",
  scope: "score",
  dialect: openai,
  // The openai SDK's own.
  wait_ms: 600_000,
  settable: true,
  content: [
    { at: "grader.input", carrier: "template" },
    { at: "grader.graders.input", carrier: "template" },
    { at: "grader.graders.*.input", carrier: "template" },
    { at: "model_sample", carrier: "completion", of: "answer" },
    { at: "item", carrier: "row" },
  ],
  // OpenAI's paths, and Azure's two.
  routes: [
    { method: "POST", path: "/v1/fine_tuning/alpha/graders/run", handler: run },
    { method: "POST", path: "/v1/fine_tuning/alpha/graders/validate", handler: validate },
    { method: "POST", path: "/openai/v1/fine_tuning/alpha/graders/run", handler: run },
    { method: "POST", path: "/openai/v1/fine_tuning/alpha/graders/validate", handler: validate },
    { method: "POST", path: "/openai/fine_tuning/alpha/graders/run", handler: run },
    { method: "POST", path: "/openai/fine_tuning/alpha/graders/validate", handler: validate },
  ],
};

const EXACT = {
  type: "string_check",
  name: "exact",
  input: "{{sample.output_text}}",
  reference: "{{item.answer}}",
  operation: "eq",
};
const CLOSE = { ...EXACT, type: "text_similarity", name: "close", evaluation_metric: "fuzzy_match" };

export const EXAMPLE = {
  grader: {
    type: "multi",
    name: "both",
    graders: { exact: EXACT, close: CLOSE },
    calculate_output: "0.9 * exact + 0.1 * close",
  },
  model_sample: "fuzzy wuzzy was a bear",
  item: { answer: "fuzzy wuzzy had no hair" },
};

export const page = /* @__PURE__ */ documented(graders, () => {
  const refusals = [
    refused("what there is none of", "grader.*"),
    { why: "a proved range", status: 400, code: "unbounded_reward", path: "grader.*" },
  ];
  const operations = (base: string, suffix: string, where: string): Record<string, Operation> => ({
    [`POST ${base}/fine_tuning/alpha/graders/run`]: {
      operationId: `runGrader${suffix}`,
      summary: `OpenAI's grader run${where}: one sample, its reward`,
      description:
        "`string_check`, `text_similarity`, `score_model`, `label_model`, and `multi` over them. Model graders ask the configured verifier.",
      query: OptionsSchema.omit({ spec: true, response_field: true }),
      request: RunGraderRequestSchema,
      reply: RunReplySchema,
      example: EXAMPLE,
      refusals: [...refusals, refused("a row", "item.*")],
    },
    [`POST ${base}/fine_tuning/alpha/graders/validate`]: {
      operationId: `validateGrader${suffix}`,
      summary: `OpenAI's grader check${where}, with the spec that the grader is here`,
      description: "Nothing is asked of a verifier.",
      query: z.object({}),
      request: ValidateGraderRequestSchema,
      reply: ValidateReplySchema,
      reply_description: "Valid.",
      example: { grader: EXAMPLE.grader },
      refusals,
    },
  });
  return {
    operations: {
      ...operations("/v1", "", ""),
      ...operations("/openai/v1", "AzureV1", " at Azure's v1 path"),
      ...operations("/openai", "Azure", " at Azure's dated path"),
    },
    components: { RunGraderRequest: RunGraderRequestSchema, ValidateGraderRequest: ValidateGraderRequestSchema },
  };
});
