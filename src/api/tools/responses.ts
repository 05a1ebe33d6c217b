// POST /v1/responses: like chat-completions.ts, but for tools that use OpenAI's Responses API. The model is
// the name of a spec, and the answer is a verdict.

import * as z from "zod";
import { said } from "#said";
import { judgeQuestion } from "./judge-question.ts";
import { verdictOf } from "./shared/chat-verdict.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { openai } from "./shared/dialects.ts";
import { groupRoute } from "./shared/group-route.ts";
import { MessageSchema } from "./shared/messages.ts";
import { SharedOptionsSchema } from "./shared/options.ts";
import { documented, noChoice, QUESTION, refused } from "./shared/page.ts";
import { ResponsesReplySchema, responseOf, streamResponse } from "./shared/responses-reply.ts";

const ItemSchema = MessageSchema.extend({ role: MessageSchema.shape.role.nullish() });

const ResponsesRequestSchema = z.object({
  model: z.string().nullish().meta(said("name of a spec; `GET /v1/models` lists the specs")),
  input: z
    .union([z.string(), z.array(ItemSchema).min(1)])
    .meta(said("a comparison as a string, or a list of items whose last user message is the comparison")),
  instructions: z.string().nullish().meta(said("ignored; the spec has its own instructions")),
  stream: z.boolean().nullish(),
});

function messagesOf(input: z.output<typeof ResponsesRequestSchema>["input"]) {
  if (typeof input === "string") return [{ role: "user", content: input }];
  return input.map(({ role, content }) => ({ role: role ?? "", content }));
}

const route = groupRoute(async (body, { id, created, modelSpec }) => {
  const request = contractBody(ResponsesRequestSchema, body, { input: "messages_max" });
  const { group, texts, form } = judgeQuestion(messagesOf(request.input), "input");
  const model = request.model ?? "default";
  const spec = await modelSpec(model, texts);
  const head = { id: `resp_${id}`, created_at: created, model };
  return {
    ...{ groups: [group], spec, field: "input", interactive: true, reply: ResponsesReplySchema },
    toReply: (scored) => responseOf(head, verdictOf(scored, spec, form)),
    streamed:
      request.stream !== true
        ? undefined
        : ({ scored, stop }, deps) => {
            const verdict = scored.then((done) => verdictOf(done, spec, form));
            return streamResponse(deps, id, head, verdict, stop);
          },
  };
});

const PATHS = ["/v1/responses", "/openai/v1/responses", "/openai/responses"] as const;

export const responses: Contract = {
  name: "responses",
  scope: "score",
  dialect: openai,
  // Default timeout of the openai SDK.
  wait_ms: 600_000,
  settable: true,
  content: [{ at: "input", carrier: "input" }],
  routes: PATHS.map((path) => ({ method: "POST", path, handler: route })),
};

export const EXAMPLE = {
  model: "default",
  input: /* @__PURE__ */ JSON.stringify({
    question: QUESTION,
    candidates: ["def f(xs):\n    return sum(xs)", "def f(xs):\n    return sum(x for x in xs if x % 2 == 0)"],
    language: "python",
  }),
};

const operation = (operationId: string, summary: string) => ({
  ...{ operationId, summary },
  description:
    '`model` is the name of a spec. The last user message is a comparison, in Kritai\'s own prompt format or as JSON `{"question", "candidates"}`; `output_text` is `\\boxed{X}`, or `\\boxed{[..]}` if scores are requested. With `stream: true`, the reply is sent as events. A failure is an HTTP error, or an `error` event once the stream has started.',
  query: SharedOptionsSchema,
  request: ResponsesRequestSchema,
  reply: ResponsesReplySchema,
  example: EXAMPLE,
  replies: {
    "200": {
      description: "The verdict. With `stream: true`, the events of the Responses API.",
      content: {
        "application/json": { schema: ResponsesReplySchema },
        "text/event-stream": { schema: { type: "object" } },
      },
    },
  },
  refusals: [
    { why: "not a stored spec", status: 404, code: "unknown_spec", path: "model" },
    refused("not a comparison", "input", "the last user message is not a comparison|contains no user message"),
    refused("not a comparison", "input\\..+"),
    noChoice(),
  ],
});

export const page = /* @__PURE__ */ documented(responses, () => ({
  operations: {
    "POST /v1/responses": operation("judgeResponses", "A verifier for tools that speak the Responses API"),
    "POST /openai/v1/responses": operation("judgeResponsesAzureV1", "Same operation at Azure's v1 path"),
    "POST /openai/responses": operation("judgeResponsesAzure", "Same operation at Azure's dated path"),
  },
}));
