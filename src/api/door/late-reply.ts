// Replies that may take a long time: they start with white space or heartbeats, followed by the real body.
import type { AppDeps } from "./deps.ts";
import { type AppContext, cancellation } from "./scope.ts";
import { BEGUN, beatUntil, promptly } from "./slow-json.ts";
import { line, ndjsonResponse, pushedText, type TextSink } from "./streams.ts";

const JSON_HEADERS = { "content-type": "application/json", "x-accel-buffering": "no", ...BEGUN };

/**
 * Waits for `running`. If it settles within heartbeat_ms, returns the response as is. Otherwise starts a
 * reply in the format that the client accepts, NDJSON or JSON.
 */
export async function lateReply(
  c: AppContext,
  deps: AppDeps,
  request: unknown,
  running: Promise<Response>,
): Promise<Response> {
  const prompt = await promptly(deps.timers, running);
  if (prompt !== null) return prompt;
  const lines = (c.req.header("accept") ?? "").includes("application/x-ndjson");
  const groups = (request as { groups?: unknown[] }).groups?.length ?? 0;
  const heartbeat = lines ? line({ type: "heartbeat", groups_done: 0, groups }) : "\n";
  const { body, sink } = pushedText(() => cancellation(c).abort("cancelled"));
  beatUntil(c, deps, sink, heartbeat, running, (response) => passOn(response, sink));
  return lines ? ndjsonResponse(body) : new Response(body, { headers: JSON_HEADERS });
}

/** Passes the body on at the client's speed. */
async function passOn({ body }: Response, sink: TextSink): Promise<void> {
  const decoder = new TextDecoder();
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    sink.write(decoder.decode(value, { stream: true }));
    await sink.flushed();
  }
  sink.close();
}
