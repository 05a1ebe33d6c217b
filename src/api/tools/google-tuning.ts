// Owns POST /google/reward: the Cloud Run reward function of Gemini's reinforcement tuning. One
// sample in, a reward out. Gathering: gathered.ts.

import * as z from "zod";
import { said } from "#said";
import { StepSchema } from "../../core/contract/requests.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { trainers } from "./shared/dialects.ts";
import { ContentsSchema, PartsSchema, PromptContentsSchema, RolloutPartsSchema } from "./shared/gemini-parts.ts";
import { CORRECT, documented, fields, QUESTION, sampleOperation, size } from "./shared/page.ts";
import { sampleRoute } from "./shared/sample-route.ts";
import { rewardOrDeclared, SampleLogsSchema, sampleLogs } from "./shared/sample-score.ts";
import { truthField } from "./shared/stated-facts.ts";

const GoogleRewardRequestSchema = z.object({
  example: z.object({
    contents: ContentsSchema.meta(said("the prompt, in Gemini's form")),
    references: truthField("samples of one prompt with different ones are different problems"),
  }),
  response: z.object({ parts: PartsSchema }).meta(said("is judged; parts with `thought` are the thinking")),
  metadata: z
    .object({
      step: StepSchema.nullish(),
      tuningJobId: z.union([z.string(), z.int()]).nullish(),
    })
    .nullish()
    .meta(said("step and run of the run log, unless the URL names others")),
});
export const GoogleRewardReplySchema = SampleLogsSchema.extend({
  reward: z.number().meta(said("the tuning job clips it to -1..1")),
});

const ReadSchema = z.object({
  example: GoogleRewardRequestSchema.shape.example.extend({ contents: PromptContentsSchema }),
  response: z.object({ parts: RolloutPartsSchema }),
  metadata: GoogleRewardRequestSchema.shape.metadata,
});

/** A resource's name ends in the job's own; the run log's names have fewer signs. */
function runIdOf(job: string | number | null | undefined): string | undefined {
  const name = `${job ?? ""}`.split("/").at(-1) ?? "";
  const known = name.replace(/[^A-Za-z0-9._:-]/g, "-").slice(0, LIMITS.id_chars);
  return known === "" ? undefined : known;
}

function read(body: Record<string, unknown>) {
  const { example, response, metadata } = contractBody(ReadSchema, body);
  return {
    prompt: example.contents,
    label: example.references ?? null,
    stated: {
      truth: example.references,
      row: { references: example.references },
      field: "example.references",
    },
    rollout: response.parts,
    run_id: runIdOf(metadata?.tuningJobId),
    step: metadata?.step ?? undefined,
  };
}

const route = sampleRoute({
  field: "response",
  reply: GoogleRewardReplySchema,
  // Five retries after 2, 4, 8, 16 and 32 s.
  retry_ms: 32 * 60_000,
  // Then the reward is NaN, so each request is held until it is judged.
  tries: 1,
  read,
  tell: (sample) => ({ reward: rewardOrDeclared(sample), ...sampleLogs(sample) }),
});

export const googleTuning: Contract = {
  name: "google_tuning",
  scope: "score",
  dialect: trainers,
  wait_ms: 300_000,
  content: [
    { at: "example.contents[].parts", carrier: "gemini" },
    { at: "example", carrier: "row" },
    { at: "example.references", carrier: "row" },
    { at: "response.parts", carrier: "gemini", of: "answer" },
    { at: "response", carrier: "row", of: "answer" },
  ],
  routes: [{ method: "POST", path: "/google/reward", handler: route }],
};

export const EXAMPLE = {
  example: { contents: [{ role: "user", parts: [{ text: QUESTION }] }], references: { answer: "6" } },
  response: { parts: [{ text: CORRECT }] },
  metadata: { step: 12, tuningJobId: "4611686018427387904" },
};

export const page = /* @__PURE__ */ documented(googleTuning, () => ({
  operations: {
    "POST /google/reward": sampleOperation({
      operationId: "googleTuningReward",
      summary: "Gemini's reinforcement tuning: a Cloud Run reward function",
      description:
        "A sample without a reward is an HTTP error, which the tuning job repeats five times; then it is NaN there.",
      request: GoogleRewardRequestSchema,
      reply: GoogleRewardReplySchema,
      example: EXAMPLE,
    }),
  },
  components: { GoogleRewardRequest: GoogleRewardRequestSchema },
  rules: {
    GoogleRewardRequest: fields({ example: fields({ contents: size("messages_max", 1) }) }),
  },
}));
