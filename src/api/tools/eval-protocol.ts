// POST /evaluate: eval-protocol's remote reward function. A sample that could not be judged gets a score that
// is marked as invalid. Samples are gathered into groups in gathered.ts.
import * as z from "zod";
import { said } from "#said";
import { ITEM_ERRORS } from "../../core/faults/errors.ts";
import { runStart } from "../content/pieces.ts";
import { invalidRequest, validAt } from "../door/validation.ts";
import { healthz } from "../routes/service.ts";
import { type Contract, contractBody } from "./shared/contract.ts";
import { trainers } from "./shared/dialects.ts";
import { CompletionSchema, MessageSchema, PromptSchema } from "./shared/messages.ts";
import { CORRECT, contains, documented, fields, has, QUESTION, refused, sampleOperation, size } from "./shared/page.ts";
import { sampleRoute } from "./shared/sample-route.ts";
import { type JudgedSample, sampleLogs, ungathered, unitScore } from "./shared/sample-score.ts";
import { truthField } from "./shared/stated-facts.ts";

export const EvaluateRequestSchema = z.object({
  messages: z
    .array(MessageSchema)
    .min(2)
    .meta(
      said(
        "messages after the last user message are judged, including tool calls and results; the messages up to it are the prompt",
      ),
    ),
  ground_truth: truthField("samples with the same prompt and different ground truths are different problems"),
  kwargs: z.unknown().optional().meta(said("additional fields of the row, for specs that need facts")),
});

const score = z.number().min(0).max(1);
const MetricSchema = z.object({ score, is_score_valid: z.boolean(), reason: z.string() });
export const EvaluateReplySchema = z.object({
  score,
  is_score_valid: z.boolean().meta(said("false: the sample could not be judged, so the score is meaningless")),
  reason: z.string(),
  metrics: z.object({ win_share: MetricSchema, format_ok: MetricSchema, parse_rate: MetricSchema }),
  step_outputs: z.null(),
  error: z.string().nullable().meta(said("error code; null if the sample was judged")),
});

function read(body: Record<string, unknown>) {
  const { messages, ground_truth, kwargs } = contractBody(EvaluateRequestSchema, body, { messages: "messages_max" });
  const first = runStart(messages);
  if (first === null || first < 1) {
    throw invalidRequest([
      { path: "messages", message: "must contain an assistant message after at least one other message" },
    ]);
  }
  const given = { prompt: messages.slice(0, first), rollout: messages.slice(first) };
  const AskedSchema = z.object({ prompt: PromptSchema, rollout: CompletionSchema });
  const { prompt, rollout } = validAt(AskedSchema, given, ["messages"]);
  const stated = { truth: ground_truth, row: { ground_truth, kwargs }, field: "ground_truth" };
  return { prompt, label: ground_truth, rollout, stated };
}

function evaluateReply(sample: JudgedSample): z.output<typeof EvaluateReplySchema> {
  const { judged, spec, on_failure } = sample;
  const { reward, error } = judged.result;
  // The package ignores `is_score_valid`, so without an HTTP error it would use 0 as the score.
  if (reward === null && (on_failure === undefined || on_failure === "error")) throw ungathered(judged);
  const logs = sampleLogs(sample);
  const decided = logs.rm_wins + logs.rm_losses + logs.rm_ties;
  const tally = `won ${logs.rm_wins}, lost ${logs.rm_losses} and tied ${logs.rm_ties} of ${decided + logs.rm_undecided} comparisons`;
  const failed = error === null ? null : `${error}: ${ITEM_ERRORS[error]}`;
  const shown = reward ?? (typeof on_failure === "number" ? on_failure : null);
  const metric = (value: number, valid: boolean, reason: string) => ({
    score: valid ? value : 0,
    is_score_valid: valid,
    reason,
  });
  return {
    score: shown === null ? 0 : unitScore(shown, spec, judged.members),
    is_score_valid: reward !== null,
    reason: failed ?? tally,
    metrics: {
      win_share: metric((logs.rm_wins + logs.rm_ties / 2) / decided, decided > 0, tally),
      format_ok: metric(logs.rm_format_ok, true, "1 if the sample passes every format rule of the spec"),
      parse_rate: metric(
        judged.metrics.parse_rate ?? 0,
        judged.metrics.parse_rate !== null,
        "share of the group's answers that could be parsed",
      ),
    },
    step_outputs: null,
    error,
  };
}

const route = sampleRoute({
  field: "messages",
  reply: EvaluateReplySchema,
  // Retries are left to the client's code.
  retry_ms: 2 * 60_000,
  tries: 1,
  read,
  toReply: evaluateReply,
});

export const evalProtocol: Contract = {
  name: "eval_protocol",
  scope: "score",
  dialect: trainers,
  // Timeout that eval-protocol's preview uses.
  wait_ms: 30_000,
  settable: true,
  content: [
    { at: "messages", carrier: "conversation", side: "answer" },
    { at: "kwargs", carrier: "row" },
  ],
  routes: [
    { method: "POST", path: "/evaluate", handler: route },
    { method: "GET", path: "/health", access: "public", dialect: null, handler: healthz },
  ],
};

export const EXAMPLE = {
  messages: [
    { role: "user", content: QUESTION },
    { role: "assistant", content: CORRECT },
  ],
  ground_truth: "6",
  kwargs: {},
};

export const page = /* @__PURE__ */ documented(evalProtocol, () => ({
  operations: {
    "POST /evaluate": sampleOperation({
      operationId: "evaluateSample",
      summary: "eval-protocol's remote reward function",
      description:
        "A failure is an HTTP error; with `on_failure=flag` or a number, it is a reply with `is_score_valid: false`, which the package ignores.",
      request: EvaluateRequestSchema,
      reply: EvaluateReplySchema,
      example: EXAMPLE,
      refusals: [refused("no message before the answer", "messages", "after at least one other")],
    }),
    "GET /health": {
      operationId: "health",
      summary: "Liveness probe of eval-protocol",
      reply_description: "The process is running.",
      reply: z.object({ status: z.string() }),
    },
  },
  components: { EvaluateRequest: EvaluateRequestSchema },
  rules: {
    EvaluateRequest: fields({
      messages: { ...size("messages_max"), ...contains(has({ role: { const: "assistant" } })) },
    }),
  },
}));
