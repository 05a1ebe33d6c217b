// Owns the description of the foreign contracts' routes for the OpenAPI document: words, examples,
// and which schema goes where.
import * as z from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from "zod-openapi";
import { ChatRequestSchema } from "../../../src/api/contracts/chat/chat-completions.ts";
import { ChatReplySchema } from "../../../src/api/contracts/chat/chat-replies.ts";
import { ModelsReplySchema } from "../../../src/api/contracts/chat/models.ts";
import { ScoreBatchRequestSchema } from "../../../src/api/contracts/flat/flat-batch.ts";
import { ScoreBatchReplySchema } from "../../../src/api/contracts/flat/score-batch.ts";
import { OptionsSchema } from "../../../src/api/contracts/options.ts";
import { TeiReplySchema, TeiRequestSchema } from "../../../src/api/contracts/rerank/bare-rerank.ts";
import { ClassifyReplySchema, ClassifyRequestSchema } from "../../../src/api/contracts/rerank/classify.ts";
import { RerankReplySchema, RerankRequestSchema } from "../../../src/api/contracts/rerank/rerank.ts";
import { ScoreReplySchema, ScoreRequestSchema } from "../../../src/api/contracts/rerank/score.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import * as examples from "./contract-examples.ts";
import { queryOf } from "./parameters.ts";

export const contractTag = "Contracts of other tools";

const batchQuery = queryOf(OptionsSchema);
/** Of the parameters that every contract reads; the others are the batch's alone. */
const query = batchQuery.omit({ on_failure: true, response_field: true });

export const FAULT =
  "Told in the dialect's own words beside those of a problem document: `message` (Cohere), `detail` (Jina), `error` (vLLM and OpenAI an object, TEI a text).";
const PROBLEM = { $ref: "#/components/schemas/Problem" };

interface Described {
  operationId: string;
  summary: string;
  description: string;
  request: z.ZodType;
  reply: z.ZodType;
  example: unknown;
}

export function post(
  { operationId, summary, description, request, reply, example }: Described,
  parameters: z.ZodObject = query,
  more: ZodOpenApiOperationObject["responses"] = {},
) {
  const fault = { "application/problem+json": { schema: PROBLEM } };
  const responses: ZodOpenApiOperationObject["responses"] = {
    "200": { description: "Scored.", content: { "application/json": { schema: reply } } },
    ...more,
    default: { description: FAULT, content: { "application/json": { schema: { type: "object" } }, ...fault } },
  };
  return {
    post: {
      operationId,
      tags: [contractTag],
      summary,
      description: `${description} Fields that are not listed are ignored.`,
      requestParams: { query: parameters },
      requestBody: { required: true, content: { "application/json": { schema: request, example } } },
      responses,
    },
  };
}

/** A streamed chunk of a verdict. */
export const ChatChunkSchema = ChatReplySchema.extend({
  object: z.literal("chat.completion.chunk"),
  choices: z
    .array(
      z.object({
        index: z.literal(0),
        delta: z.object({ role: z.literal("assistant").optional(), content: z.string().optional() }),
        finish_reason: z.literal("stop").nullable(),
        logprobs: z.null(),
      }),
    )
    .max(1)
    .meta({ description: "none in the chunk that holds the usage" }),
  usage: ChatReplySchema.shape.usage.optional(),
});

/** One event of a stream: a chunk, of a fault after the beginning an `error`, or the end. */
const ChatEventSchema = z.looseObject({
  data: z.union([
    z.literal("[DONE]"),
    z.string().meta({
      contentMediaType: "application/json",
      contentSchema: { anyOf: [{ $ref: "#/components/schemas/ChatChunk" }, { type: "object", required: ["error"] }] },
    }),
  ]),
});

const SCORES = `Scores are shares of wins in 0..1. Documents that could not be judged are left out and named in \`meta.warnings\`; when none could, the request fails. At most ${LIMITS.rollouts_per_group_max} documents.`;
const rerank = (operationId: string, summary: string) =>
  post({
    operationId,
    summary,
    description: `The query is the prompt, the documents are its candidates. ${SCORES}`,
    request: RerankRequestSchema,
    reply: RerankReplySchema,
    example: examples.rerank,
  });

const score = (operationId: string) =>
  post({
    operationId,
    summary: "vLLM's scores of text pairs, in input order",
    description:
      "Texts with equal prompts are compared with each other. Every pair has its score, or the request fails.",
    request: ScoreRequestSchema,
    reply: ScoreReplySchema,
    example: examples.score,
  });

export const contractPaths: ZodOpenApiPathsObject = {
  "/v1/rerank": rerank("rerankV1", "Rank candidates: Cohere v1, Jina and vLLM clients"),
  "/v2/rerank": rerank("rerankV2", "Rank candidates: Cohere v2 and vLLM clients"),
  "/rerank": post({
    operationId: "rerankBare",
    summary: "Rank candidates: TEI (`texts`) and vLLM (`documents`) clients",
    description: `A body with \`texts\` is answered with TEI's bare array, one with \`documents\` with vLLM's object. ${SCORES} For TEI the warnings are in the header \`X-Kritai-Warnings\`.`,
    request: z.union([TeiRequestSchema, RerankRequestSchema]),
    reply: z.union([TeiReplySchema, RerankReplySchema]),
    example: examples.tei,
  }),
  "/score": score("scorePairs"),
  "/v1/score": score("scorePairsV1"),
  "/classify": post({
    operationId: "classify",
    summary: "vLLM's classification as reward-model clients read it",
    description:
      "`probs` holds the one score. Inputs are conversations rendered by a chat template; those of equal prompt are compared with each other.",
    request: ClassifyRequestSchema,
    reply: ClassifyReplySchema,
    example: examples.classify,
  }),
  "/v1/score_batch": post(
    {
      operationId: "scoreBatch",
      summary: "Rewards for a flat batch: TRL, ms-swift, FAI-RL, verl's batch manager",
      description:
        "Groups are rebuilt from equal prompts (and equal labels, and language); rewards come back in the order of the completions, `null` where there is none. The keys of `metrics` and `columns` never change.",
      request: ScoreBatchRequestSchema,
      // The name that response_field gives holds the rewards once more.
      reply: ScoreBatchReplySchema.catchall(ScoreBatchReplySchema.shape.rewards),
      example: examples.scoreBatch,
    },
    batchQuery,
  ),
  "/v1/chat/completions": post(
    {
      operationId: "judge",
      summary: "A judge for tools that can only call a chat model",
      description:
        'The model is a spec\'s name. The last user message is a comparison, in the shape of Kritai\'s own prompt or as JSON `{"question", "candidates"}`; the answer is `\\boxed{X}`, or `\\boxed{[..]}` where scores are asked for. A failure is an HTTP error, in a stream that has begun an `error` event.',
      request: ChatRequestSchema,
      reply: ChatReplySchema,
      example: examples.chat,
    },
    query,
    {
      "200": {
        description: "Judged. With `stream: true` as events: `data` is a chunk, of the last one `[DONE]`.",
        content: {
          "application/json": { schema: ChatReplySchema },
          "text/event-stream": { schema: ChatEventSchema },
        },
      },
    },
  ),
  "/v1/models": {
    get: {
      operationId: "listModels",
      tags: [contractTag],
      summary: "The specs, as models",
      responses: {
        "200": {
          description: "`default`, and the stored ones.",
          content: { "application/json": { schema: ModelsReplySchema } },
        },
        default: { description: FAULT, content: { "application/json": { schema: { type: "object" } } } },
      },
    },
  },
};
