// The event stream of one answer: the timing of its events, and faults in the middle of the stream.
import type { Answer } from "./answer.ts";
import type { Engine, Ticket } from "./engine.ts";
import type { Fault } from "./faults.ts";
import type { Connection, Wire } from "./shapes.ts";

export interface StreamJob {
  engine: Engine;
  ticket: Ticket;
  answer: Answer;
  wire: Wire;
  fault: Fault | null;
  connection: Connection | null;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** Tokens per event. */
  stream_tokens: number;
  /** Interval of keep-alive comments while nothing else is sent, in ms; 0: none. */
  keep_alive_ms: number;
  withUsage: boolean;
}

const HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
const DONE = "data: [DONE]\n\n";
const HANG_TICK_MS = 250;
/** Invalid counts: a negative number, one too large for a database column, and a string. */
const WRONG_USAGE = `"usage":${JSON.stringify({ prompt_tokens: -3, completion_tokens: Number.MAX_SAFE_INTEGER, total_tokens: "many" })}`;

/** A fault that breaks off the reply. */
class Cut extends Error {}

/**
 * Returns the response immediately; events follow as the engine generates. `gone` is called when the reader
 * disconnects.
 */
export function streamAnswer(job: StreamJob, gone: () => void): Response {
  if (job.engine.instant && job.fault === null) return new Response(wholeStream(job), { headers: HEADERS });
  const events = job.fault === null ? liveEvents(job) : withFault(liveEvents(job), job, job.fault);
  return new Response(toStream(events, job, gone), { headers: HEADERS });
}

/** All events in one string. */
function wholeStream(job: StreamJob): string {
  const parts = [job.wire.role()];
  for (let from = 0; from < job.answer.tokens; from += job.stream_tokens) {
    parts.push(...job.wire.deltas(from, Math.min(from + job.stream_tokens, job.answer.tokens)));
  }
  parts.push(job.wire.end(job.answer.finish_reason, job.answer.tokens, job.withUsage), DONE);
  return parts.join("");
}

/** The events in real time: the role with the first token, text as it is generated, then the end. */
async function* liveEvents(job: StreamJob): AsyncGenerator<string> {
  const { engine, ticket, wire, answer, stream_tokens } = job;
  if (job.fault?.name === "slow-first-token") await pause(job.fault.delay_ms, job.signal);
  yield* waitFor(job, 1);
  yield wire.role();
  let sent = 0;
  while (sent < answer.tokens && ticket.state !== "aborted") {
    yield* waitFor(job, Math.min(sent + stream_tokens, answer.tokens));
    const there = Math.min(engine.generated(ticket), answer.tokens);
    while (sent < there) {
      const to = Math.min(sent + stream_tokens, there);
      yield* wire.deltas(sent, to);
      sent = to;
    }
  }
  yield wire.end(ticket.state === "aborted" ? "abort" : answer.finish_reason, sent, job.withUsage);
  yield DONE;
}

/** Waits for `tokens`, and sends keep-alive comments in the meantime. */
async function* waitFor({ engine, ticket, keep_alive_ms }: StreamJob, tokens: number): AsyncGenerator<string> {
  const patience = keep_alive_ms === 0 ? Number.POSITIVE_INFINITY : keep_alive_ms;
  while (!(await engine.until(ticket, tokens, patience))) yield ": keep-alive\n\n";
}

const withWrongUsage = (text: string) => text.replace(/"usage":\{[^}]*\}/, WRONG_USAGE);

/**
 * Sends an event one byte at a time while the reader is connected. The JSON is ASCII except for a few
 * characters, which are sent whole.
 */
async function* dripped(event: string, delay_ms: number, signal: AbortSignal): AsyncGenerator<string> {
  for (const byte of event) {
    await pause(delay_ms, signal);
    if (signal.aborted) return;
    yield byte;
  }
}

/**
 * Sleeps in short steps, so that a disconnect is noticed during a long wait. The runtimes have no common
 * timer that can be aborted.
 */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !signal.aborted; left -= HANG_TICK_MS) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, HANG_TICK_MS)));
  }
}

/** Passes events through until the injected fault occurs. */
async function* withFault(events: AsyncGenerator<string>, job: StreamJob, fault: Fault): AsyncGenerator<string> {
  let texts = 0;
  for await (const event of events) {
    const begun = texts >= fault.after;
    if (fault.name === "missing-done" && event === DONE) return;
    if (fault.name === "slow-drip" && begun) yield* dripped(event, fault.delay_ms, job.signal);
    else yield fault.name === "wrong-usage" ? withWrongUsage(event) : event;
    if (event.startsWith(":") || texts++ < fault.after) continue;
    switch (fault.name) {
      case "cut-stream":
        throw new Cut();
      case "ended-stream":
        return;
      case "malformed-stream":
        yield 'data: {"choices":[{"index":0,"delta":{"content":"bro\n\n';
        return;
      case "stalled-stream":
        await pause(Number.POSITIVE_INFINITY, job.signal);
        return;
      case "content-filter":
        yield job.wire.end("content_filter", texts * job.stream_tokens, job.withUsage) + DONE;
        return;
    }
  }
}

function toStream(events: AsyncGenerator<string>, job: StreamJob, gone: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await events.next();
          if (!done) return controller.enqueue(encoder.encode(value));
          controller.close();
        } catch (error) {
          if (!(error instanceof Cut)) throw error;
          if (job.connection === null) controller.error(error);
          else job.connection.cut();
        }
        // The remaining tokens of a broken reply are never read.
        job.engine.abort(job.ticket);
      },
      cancel: gone,
    },
    { highWaterMark: 0 },
  );
}

/** A complete reply changed by a fault. Faults that apply only to streams leave the reply unchanged. */
export function brokenText(
  text: string,
  fault: Fault,
  connection: Connection | null,
): string | ReadableStream<Uint8Array> {
  const half = text.slice(0, text.length >> 1);
  switch (fault.name) {
    case "ended-stream":
    case "malformed-stream":
      return half;
    case "wrong-usage":
      return withWrongUsage(text);
    case "cut-stream":
    case "stalled-stream": {
      let pulls = 0;
      return new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (pulls++ === 0) return controller.enqueue(new TextEncoder().encode(half));
            if (fault.name === "stalled-stream") return new Promise<void>(() => {});
            if (connection === null) controller.error(new Cut());
            else connection.cut();
          },
        },
        { highWaterMark: 0 },
      );
    }
    default:
      return text;
  }
}
