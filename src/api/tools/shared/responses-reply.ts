// Replies in OpenAI's Responses format, complete or streamed. An error is never sent as a verdict.

import * as z from "zod";
import { said } from "#said";
import { asApiError } from "../../../core/faults/errors.ts";
import { faultLine } from "../../../core/faults/fault-line.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { AppDeps } from "../../door/deps.ts";
import { promptly } from "../../door/slow-json.ts";
import { pushedText } from "../../door/streams.ts";
import type { ChatVerdict } from "./chat-verdict.ts";
import { openai } from "./dialects.ts";
import { faultMembers } from "./faults.ts";

interface ResponseHead {
  id: string;
  /** Unix time in seconds. */
  created_at: number;
  model: string;
}

/** Description of constant fields that OpenAI's clients require but that have no meaning for a verdict. */
const ALWAYS = said("constant");
const alwaysEmpty = () => z.array(z.unknown()).max(0).meta(ALWAYS);

const TextSchema = z.object({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: alwaysEmpty(),
  logprobs: alwaysEmpty(),
});
const MessageSchema = z.object({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  status: z.literal("completed").meta(ALWAYS),
  content: z.tuple([TextSchema]),
});

export const ResponsesReplySchema = z.object({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int(),
  status: z.literal("completed").meta(ALWAYS),
  model: z.string(),
  output: z.tuple([MessageSchema]),
  error: z.null(),
  incomplete_details: z.null(),
  instructions: z.null(),
  metadata: z.object({}),
  parallel_tool_calls: z.literal(false).meta(ALWAYS),
  temperature: z.null(),
  top_p: z.null(),
  tool_choice: z.literal("none").meta(ALWAYS),
  tools: alwaysEmpty(),
  usage: z.object({
    input_tokens: z.int(),
    input_tokens_details: z.object({ cached_tokens: z.literal(0).meta(ALWAYS) }).meta(ALWAYS),
    output_tokens: z.int(),
    output_tokens_details: z.object({ reasoning_tokens: z.literal(0).meta(ALWAYS) }).meta(ALWAYS),
    total_tokens: z.int(),
  }),
});
type ResponsesReply = z.output<typeof ResponsesReplySchema>;

const messageId = ({ id }: ResponseHead) => `msg_${id}`;
const textPart = (text: string): z.output<typeof TextSchema> => ({
  type: "output_text",
  text,
  annotations: [],
  logprobs: [],
});
const message = (head: ResponseHead, text: string): z.output<typeof MessageSchema> => ({
  ...{ id: messageId(head), type: "message", role: "assistant", status: "completed" },
  content: [textPart(text)],
});

/** The fields of a reply that do not depend on the verdict. */
const frame = (head: ResponseHead) => ({
  ...head,
  ...({ object: "response", error: null, incomplete_details: null, instructions: null, metadata: {} } as const),
  ...({ parallel_tool_calls: false, temperature: null, top_p: null, tool_choice: "none" } as const),
  tools: [] as [],
});

/** Builds a reply that is not streamed. */
export function responseOf(head: ResponseHead, { text, usage }: ChatVerdict): ResponsesReply {
  return {
    ...frame(head),
    status: "completed",
    output: [message(head, text)],
    usage: {
      input_tokens: usage.prompt_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.completion_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.total_tokens,
    },
  };
}

type Event = Record<string, unknown> & { type: string };

/** The events that convey a verdict, which are sent after the initial events. */
function verdictEvents(head: ResponseHead, verdict: ChatVerdict): Event[] {
  const { text } = verdict;
  const at = { item_id: messageId(head), output_index: 0, content_index: 0 };
  const whole = message(head, text);
  const empty = { ...whole, status: "in_progress", content: [] };
  return [
    { type: "response.output_item.added", output_index: 0, item: empty },
    { type: "response.content_part.added", ...at, part: textPart("") },
    { type: "response.output_text.delta", ...at, delta: text, logprobs: [] },
    { type: "response.output_text.done", ...at, text, logprobs: [] },
    { type: "response.content_part.done", ...at, part: textPart(text) },
    { type: "response.output_item.done", output_index: 0, item: whole },
    { type: "response.completed", response: responseOf(head, verdict) },
  ];
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/**
 * Builds a streamed reply. The stream starts when the verdict is known, or after heartbeat_ms with keep-alive
 * comments. An error after that becomes an `error` event, and `response.completed` is not sent.
 */
export async function streamResponse(
  deps: AppDeps,
  requestId: string,
  head: ResponseHead,
  verdict: Promise<ChatVerdict>,
  stop: () => void,
): Promise<Response> {
  await promptly(deps.timers, verdict);
  const { body, sink } = pushedText(stop);
  let sequence_number = 0;
  const send = (event: Event) =>
    sink.write(`event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence_number++ })}\n\n`);
  const begun = { ...frame(head), status: "in_progress", output: [] };
  send({ type: "response.created", response: begun });
  send({ type: "response.in_progress", response: begun });
  const stopBeats = deps.timers.every(LIMITS.heartbeat_ms, () => sink.write(": keep-alive\n\n"));
  verdict
    .then((judged) => {
      for (const event of verdictEvents(head, judged)) send(event);
    })
    .catch((error) => {
      const fault = asApiError(error);
      if (fault.code === "internal") deps.report(faultLine(error, requestId));
      const { error: errorBody } = faultMembers(openai, fault) as { error: Record<string, unknown> };
      send({ ...errorBody, type: "error" });
    })
    .finally(() => {
      stopBeats();
      sink.close();
    });
  return new Response(body, { headers: HEADERS });
}
