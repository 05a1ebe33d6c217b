// POST /v1/chat/completions: exposes judges as chat models, for tools that can only call chat models. The
// model is the name of a spec, and the answer is a verdict.

import * as z from "zod";
import { said } from "#said";
import { judgeQuestion } from "./judge-question.ts";
import { ModelReplySchema, ModelsReplySchema, model, models } from "./models.ts";
import { ChatReplySchema, completion, streamCompletion } from "./shared/chat-replies.ts";
import { verdictOf } from "./shared/chat-verdict.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { openai } from "./shared/dialects.ts";
import { groupRoute } from "./shared/group-route.ts";
import { MessageSchema } from "./shared/messages.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { contains, documented, fields, has, noChoice, type Operation, QUESTION, refused, size } from "./shared/page.ts";

export const ChatRequestSchema = z.object({
  model: z.string().nullish().meta(said("name of a spec; `GET /v1/models` lists the specs")),
  messages: z.array(MessageSchema).min(1),
  n: z.literal(1, "only one verdict per request").nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

const route = groupRoute(async (body, { id, created, word, modelSpec }) => {
  const request = contractBody(ChatRequestSchema, body, { messages: "messages_max" });
  const { group, texts, form } = judgeQuestion(request.messages);
  const model = request.model ?? word("deployment") ?? "default";
  const spec = await modelSpec(model, texts);
  const head = { id: `chatcmpl-${id}`, created, model };
  const withUsage = request.stream_options?.include_usage === true;
  return {
    ...{ groups: [group], spec, field: "messages", interactive: true, reply: ChatReplySchema },
    toReply: (scored) => completion(head, verdictOf(scored, spec, form)),
    streamed:
      request.stream !== true
        ? undefined
        : ({ scored, stop }, deps) => {
            const verdict = scored.then((done) => verdictOf(done, spec, form));
            return streamCompletion(deps, id, head, verdict, { withUsage, stop });
          },
  };
});

export const chat: Contract = {
  name: "chat_completions",
  scope: "score",
  dialect: openai,
  // Timeout in ms-swift's GenRM example. The openai SDK's timeout is longer (600 s).
  wait_ms: 120_000,
  settable: true,
  content: [{ at: "messages", carrier: "question" }],
  routes: [
    { method: "POST", path: "/v1/chat/completions", handler: route },
    { method: "POST", path: "/openai/v1/chat/completions", handler: route },
    { method: "POST", path: "/openai/deployments/:deployment/chat/completions", handler: route },
    { method: "GET", path: "/v1/models", handler: models },
    { method: "GET", path: "/v1/models/:id", handler: model },
    { method: "GET", path: "/openai/v1/models", handler: models },
    { method: "GET", path: "/openai/models", handler: models },
  ],
};

export const EXAMPLE = {
  model: "default",
  messages: [
    {
      role: "user",
      content: /* @__PURE__ */ JSON.stringify({
        question: QUESTION,
        candidates: ["def f(xs):\n    return sum(xs)", "def f(xs):\n    return sum(x for x in xs if x % 2 == 0)"],
        language: "python",
      }),
    },
  ],
};

/** Schema of a streamed chunk. */
const chunkSchema = () =>
  ChatReplySchema.extend({
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
      .meta(said("empty in the chunk that contains the usage")),
    usage: ChatReplySchema.shape.usage.optional(),
  });

/** Schema of a server-sent event: a chunk, an `error` after the start, or the end marker. */
const eventSchema = () =>
  z.looseObject({
    data: z.union([
      z.literal("[DONE]"),
      z.string().meta({
        contentMediaType: "application/json",
        contentSchema: { anyOf: [{ $ref: "#/components/schemas/ChatChunk" }, { type: "object", required: ["error"] }] },
      }),
    ]),
  });

const judging = (operationId: string, summary: string): Operation => ({
  operationId,
  summary,
  description:
    '`model` is the name of a spec. The last user message is a comparison, in Kritai\'s own prompt format or as JSON `{"question", "candidates"}`; the answer is `\\boxed{X}`, or `\\boxed{[..]}` if scores are requested. A failure is an HTTP error, or an `error` event once the stream has started.',
  query: SharedOptionsSchema,
  request: ChatRequestSchema,
  reply: ChatReplySchema,
  example: EXAMPLE,
  replies: {
    "200": {
      description:
        "The verdict. With `stream: true`, server-sent events: each `data` is a chunk, and the last one is `[DONE]`.",
      content: {
        "application/json": { schema: ChatReplySchema },
        "text/event-stream": { schema: eventSchema() },
      },
    },
  },
  refusals: [
    { why: "not a stored spec", status: 404, code: "unknown_spec", path: "model" },
    refused("not a comparison", "messages", "the last user message is not a comparison"),
    refused("not a comparison", "messages\\..+"),
    noChoice(),
  ],
});

const listing = (operationId: string, summary: string): Operation => ({
  operationId,
  summary,
  reply: ModelsReplySchema,
  reply_description: "`default` and the stored specs.",
});

const deployment = () =>
  z.object({ deployment: z.string().meta(said("name of a spec, used if the body has no `model`")) });

export const page = /* @__PURE__ */ documented(chat, () => ({
  operations: {
    "POST /v1/chat/completions": judging("judge", "A verifier for tools that can only call a chat model"),
    "POST /openai/v1/chat/completions": judging("judgeAzureV1", "Same operation at Azure's v1 path"),
    "POST /openai/deployments/:deployment/chat/completions": {
      ...judging("judgeAzure", "Same operation at Azure's deployment path"),
      path: deployment(),
    },
    "GET /v1/models": listing("listModels", "Lists the specs as models"),
    "GET /v1/models/:id": {
      operationId: "getModel",
      summary: "Returns a spec as a model",
      path: z.object({ id: z.string().meta(said("`default` or the name of a stored spec")) }),
      reply: ModelReplySchema,
      refusals: [{ why: "not a stored spec", status: 404, code: "unknown_spec", path: "model" }],
    },
    "GET /openai/v1/models": listing("listModelsAzureV1", "Same operation at Azure's v1 path"),
    "GET /openai/models": listing("listModelsAzure", "Same operation at Azure's dated path"),
  },
  components: { ChatRequest: ChatRequestSchema, ChatReply: ChatReplySchema },
  standalone: { ChatChunk: chunkSchema() },
  rules: {
    ChatRequest: fields({
      messages: {
        ...size("messages_max"),
        ...contains(
          has({
            role: { const: "user" },
            // Matches strings that may contain a comparison: our own prompt format, or JSON.
            content: { anyOf: [{ type: "array" }, { type: "string", pattern: "\\[QUESTION\\]\\n|^\\s*\\{" }] },
          }),
        ),
      },
    }),
  },
}));
