// Replies in OpenAI's chat completion format, complete or streamed. An error is never sent as a verdict.

import * as z from "zod";
import { asApiError } from "../../../core/faults/errors.ts";
import { faultLine } from "../../../core/faults/fault-line.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { AppDeps } from "../../door/deps.ts";
import { promptly } from "../../door/slow-json.ts";
import { pushedText } from "../../door/streams.ts";
import type { ChatVerdict } from "./chat-verdict.ts";
import { openai } from "./dialects.ts";
import { faultMembers } from "./faults.ts";
import { UsageSchema } from "./judging.ts";

interface CompletionHead {
  id: string;
  /** Unix time in seconds. */
  created: number;
  model: string;
}

export const ChatReplySchema = z.object({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.tuple([
    z.object({
      index: z.literal(0),
      message: z.object({ role: z.literal("assistant"), content: z.string() }),
      finish_reason: z.literal("stop"),
      logprobs: z.null(),
    }),
  ]),
  usage: UsageSchema,
});
type ChatReply = z.output<typeof ChatReplySchema>;

/** Builds a reply that is not streamed. */
export function completion(head: CompletionHead, { text, usage }: ChatVerdict): ChatReply {
  const message = { role: "assistant" as const, content: text };
  const choice = { index: 0 as const, message, finish_reason: "stop" as const, logprobs: null };
  return { ...head, object: "chat.completion", choices: [choice], usage };
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

function chunk(head: CompletionHead, delta: Record<string, string>, finish_reason: "stop" | null): string {
  const choices = [{ index: 0, delta, finish_reason, logprobs: null }];
  return event({ ...head, object: "chat.completion.chunk", choices });
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/**
 * Builds a streamed reply. The stream starts when the verdict is known, or after heartbeat_ms with keep-alive
 * comments. An error before the start is thrown; a later error becomes an `error` event, and the stream ends
 * without `[DONE]`.
 */
export async function streamCompletion(
  deps: AppDeps,
  requestId: string,
  head: CompletionHead,
  verdict: Promise<ChatVerdict>,
  { withUsage, stop }: { withUsage: boolean; stop: () => void },
): Promise<Response> {
  await promptly(deps.timers, verdict);
  const { body, sink } = pushedText(stop);
  sink.write(chunk(head, { role: "assistant", content: "" }, null));
  const stopBeats = deps.timers.every(LIMITS.heartbeat_ms, () => sink.write(": keep-alive\n\n"));
  verdict
    .then(({ text, usage }) => {
      sink.write(chunk(head, { content: text }, null));
      sink.write(chunk(head, {}, "stop"));
      if (withUsage) sink.write(event({ ...head, object: "chat.completion.chunk", choices: [], usage }));
      sink.write("data: [DONE]\n\n");
    })
    .catch((error) => {
      const fault = asApiError(error);
      if (fault.code === "internal") deps.report(faultLine(error, requestId));
      sink.write(event(faultMembers(openai, fault)));
    })
    .finally(() => {
      stopBeats();
      sink.close();
    });
  return new Response(body, { headers: HEADERS });
}
