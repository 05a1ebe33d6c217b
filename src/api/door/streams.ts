// Streamed response bodies and newline-delimited JSON (NDJSON).
import type { JsonWriter } from "../../core/contract/json-text.ts";
import type { AppContext } from "./scope.ts";

const encoder = new TextEncoder();

/** The writable end of a streamed body. Writes after the client has disconnected are ignored. */
export interface TextSink {
  write(text: string): void;
  /** Resolves when everything written has been sent to the client, or the client has disconnected. */
  flushed(): Promise<void>;
  close(): void;
  /** Aborts the connection, so that a partial body cannot be mistaken for a complete one. */
  fail(cause: unknown): void;
}

/**
 * The error that aborts a body midway. workerd treats an error marked `retryable` as a closed connection. Any
 * other error would be logged as an uncaught exception, possibly with a driver's message, and the invocation
 * would count as failed.
 */
class BrokenOff extends Error {
  readonly retryable = true;
}

/** Serializes a value as one line of NDJSON. */
export const line = (value: unknown, write: JsonWriter = JSON.stringify): string => `${write(value)}\n`;

const HEADERS = {
  "content-type": "application/x-ndjson; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

export function ndjsonResponse(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: HEADERS });
}

/** Creates a body that is written through a sink. `onCancel` is called when the client stops reading. */
export function pushedText(onCancel: () => void): { body: ReadableStream<Uint8Array>; sink: TextSink } {
  let open = true;
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let flushes: (() => void)[] = [];
  const flush = () => {
    for (const done of flushes) done();
    flushes = [];
  };
  const source: UnderlyingSource<Uint8Array> = {
    start(c) {
      controller = c as ReadableStreamDefaultController<Uint8Array>;
    },
    // With a high-water mark of 0, the stream pulls only after the last piece has been sent.
    pull: flush,
    cancel() {
      open = false;
      flush();
      onCancel();
    },
  };
  const body = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  const end = (how: () => void) => {
    if (open) how();
    open = false;
    flush();
  };
  const sink: TextSink = {
    write(text) {
      if (open) controller.enqueue(encoder.encode(text));
    },
    flushed: () => (open ? new Promise((resolve) => flushes.push(resolve)) : Promise.resolve()),
    close: () => end(() => controller.close()),
    fail: (cause) => end(() => controller.error(new BrokenOff("The reply was broken off.", { cause }))),
  };
  return { body, sink };
}

/**
 * Creates an NDJSON reply with back-pressure: takes the next value from `lines` when the client reads, and
 * closes the iterator when the client disconnects. The request's log line is written after that.
 */
export function pulledLines(c: AppContext, lines: AsyncIterator<unknown>): Response {
  const { promise, resolve } = Promise.withResolvers<void>();
  c.set("replying", promise);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (!done) return controller.enqueue(encoder.encode(line(value)));
      controller.close();
      resolve();
    },
    async cancel() {
      resolve();
      await lines.return?.();
    },
  });
  return ndjsonResponse(body);
}
