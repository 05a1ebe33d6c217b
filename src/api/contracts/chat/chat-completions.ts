// Owns POST /v1/chat/completions: a judge for tools that can only call a chat model. The model is a
// spec, the answer a verdict.
import * as z from "zod";
import { SpecNameSchema } from "../../../core/contract/requests.ts";
import { ApiError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { type AnySpec, compileSpec, hasSignals, type SpecSignal } from "../../../core/signals/compiled-spec.ts";
import { readJson } from "../../http/body.ts";
import type { RouteDeps } from "../../http/deps.ts";
import type { AppContext } from "../../http/scope.ts";
import { answerJson } from "../../http/slow-json.ts";
import { resolveSpec } from "../../routes/specs.ts";
import { contractBody } from "../body.ts";
import { shownBody } from "../content/shown-body.ts";
import type { Contract } from "../contract.ts";
import { contractDeadline } from "../deadlines.ts";
import { openai } from "../dialects.ts";
import { QUESTION } from "../example-texts.ts";
import { beginJudging, refuseUnmet } from "../judged-request.ts";
import { MessageSchema } from "../messages.ts";
import { SharedOptionsSchema, urlOptions } from "../options.ts";
import { documented } from "../page.ts";
import { noChoice, refused } from "../refusal.ts";
import { specForTexts } from "../rerank/text-spec.ts";
import { contains, fields, has, size } from "../schema-rule.ts";
import { ChatReplySchema, type CompletionHead, completion, streamCompletion } from "./chat-replies.ts";
import { verdictOf } from "./chat-verdict.ts";
import { judgeQuestion } from "./judge-question.ts";
import { ModelsReplySchema, models } from "./models.ts";

export const ChatRequestSchema = z.object({
  model: z.string().nullish().meta({ description: "a spec's name; GET /v1/models lists them" }),
  messages: z.array(MessageSchema).min(1),
  n: z.literal(1, "one verdict a request").nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

/**
 * The candidates have been taken out of their texts by whoever asks, if not out of their fences, so
 * the spec's format and length rules have had their turn.
 */
function forGivenCandidates(spec: AnySpec, texts: readonly string[]): AnySpec {
  const { extract } = specForTexts(texts).candidate;
  const candidate = { ...spec.candidate, extract };
  if (hasSignals(spec)) {
    const kept = Object.entries(spec.signals).map(([name, signal]) => [name, withoutRules(signal)]);
    return { ...spec, candidate, signals: Object.fromEntries(kept) };
  }
  return {
    ...spec,
    candidate,
    format: { rules: [], penalty: 0 },
    overlong: null,
  };
}

const withoutRules = (signal: SpecSignal): SpecSignal =>
  "rules" in signal ? { ...signal, rules: [], penalty: 0 } : signal;

async function specOf(c: AppContext, deps: RouteDeps, named: string | undefined, model: string): Promise<AnySpec> {
  const name = SpecNameSchema.safeParse(named ?? model);
  if (name.success) return resolveSpec(deps, c.get("scope"), name.data, named === undefined ? "model" : "spec");
  throw new ApiError("unknown_spec", "No spec has this model's name; GET /v1/models lists those there are.", {
    errors: [{ path: "model", message: "not the name of a spec" }],
  });
}

function route(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const options = urlOptions(c);
    const body = shownBody(c, chat, await readJson(c.req.raw));
    const request = contractBody(ChatRequestSchema, body, { messages: "messages_max" });
    const { group, form } = judgeQuestion(request.messages);
    const model = request.model ?? "default";
    const spec = forGivenCandidates(
      await specOf(c, deps, options.spec, model),
      group.rollouts.map(({ text }) => text),
    );
    refuseUnmet(compileSpec(spec), "messages");
    const { run_id, step } = options;
    const deadline_ms = contractDeadline(chat, options.deadline_ms);
    const { scored, stop } = beginJudging(c, deps, {
      ...{ groups: [group], spec, run_id, step, deadline_ms },
      interactive: true,
    });
    const verdict = scored.then((done) => verdictOf(done, spec, form));
    const created = Math.floor(deps.clock.date().getTime() / 1000);
    const head: CompletionHead = { id: `chatcmpl-${c.get("scope").id}`, created, model };
    if (request.stream !== true) {
      return answerJson(
        c,
        deps,
        verdict.then((said) => ({ value: completion(head, said) })),
        ChatReplySchema,
      );
    }
    const withUsage = request.stream_options?.include_usage === true;
    return streamCompletion(deps, c.get("scope").id, head, verdict, { withUsage, stop });
  };
}

export const chat: Contract = {
  name: "chat_completions",
  scope: "score",
  dialect: openai,
  // ms-swift's GenRM example; the openai SDK itself waits 600 s.
  wait_ms: 120_000,
  content: [{ at: "messages", carrier: "prompt" }],
  routes: [
    { method: "POST", path: "/v1/chat/completions", handler: route },
    { method: "GET", path: "/v1/models", handler: models },
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

/** A streamed chunk of a verdict. */
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
      .meta({ description: "none in the chunk that holds the usage" }),
    usage: ChatReplySchema.shape.usage.optional(),
  });

/** One event of a stream: a chunk, of a fault after the beginning an `error`, or the end. */
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

export const page = /* @__PURE__ */ documented(chat, () => ({
  operations: {
    "POST /v1/chat/completions": {
      operationId: "judge",
      summary: "A judge for tools that can only call a chat model",
      description:
        'The model is a spec\'s name. The last user message is a comparison, in the shape of Kritai\'s own prompt or as JSON `{"question", "candidates"}`; the answer is `\\boxed{X}`, or `\\boxed{[..]}` where scores are asked for. A failure is an HTTP error, in a stream that has begun an `error` event.',
      query: SharedOptionsSchema,
      request: ChatRequestSchema,
      reply: ChatReplySchema,
      example: EXAMPLE,
      replies: {
        "200": {
          description: "Judged. With `stream: true` as events: `data` is a chunk, of the last one `[DONE]`.",
          content: {
            "application/json": { schema: ChatReplySchema },
            "text/event-stream": { schema: eventSchema() },
          },
        },
      },
      refusals: [
        { why: "not a stored spec", status: 404, code: "unknown_spec", path: "model" },
        refused("a comparison in a text", "messages", "the last user message is no comparison"),
        refused("a comparison in a text", "messages\\..+"),
        noChoice(),
      ],
    },
    "GET /v1/models": {
      operationId: "listModels",
      summary: "The specs, as models",
      reply: ModelsReplySchema,
      said: "`default`, and the stored ones.",
    },
  },
  components: { ChatRequest: ChatRequestSchema, ChatReply: ChatReplySchema },
  standalone: { ChatChunk: chunkSchema() },
  rules: {
    ChatRequest: fields({
      messages: {
        ...size(LIMITS.messages_max),
        ...contains(
          has({
            role: { const: "user" },
            // A chat's text that may hold a comparison: our own prompt, or JSON.
            content: { anyOf: [{ type: "array" }, { type: "string", pattern: "\\[QUESTION\\]\\n|^\\s*\\{" }] },
          }),
        ),
      },
    }),
  },
}));
