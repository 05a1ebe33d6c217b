// Streamed response bodies, and newline-delimited JSON.
import type { JsonWriter } from "../../core/contract/json-text.ts";
import type { AppContext } from "./scope.ts";

const encoder = new TextEncoder();

/** A writable text stream. Writes after the client has disconnected are dropped. */
export interface TextSink {
  write(text: string): void;
  /** Resolves when everything written has been passed to the connection, or the reader has disconnected. */
  flushed(): Promise<void>;
  close(): void;
  /** Aborts the connection, so that a partial body cannot be taken for the whole. */
  fail(cause: unknown): void;
}

/**
 * Aborts a body midway. workerd treats an error marked `retryable` as a closed connection; any other error is
 * logged as an uncaught exception, possibly with a driver's text, and counts the invocation as failed.
 */
class BrokenOff extends Error {
  readonly retryable = true;
}

/** One line of NDJSON, serialized with `write`. */
export const line = (value: unknown, write: JsonWriter = JSON.stringify): string => `${write(value)}\n`;

const HEADERS = {
  "content-type": "application/x-ndjson; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

export function ndjsonResponse(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: HEADERS });
}

/** A body that is written through a sink. `onCancel` runs when the client stops reading. */
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
 * NDJSON with back-pressure: takes a line from `lines` whenever the client reads, and closes the iterator
 * when the client disconnects. The request's log line waits for either end.
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
