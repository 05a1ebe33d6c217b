// Response bodies that are written piece by piece, and newline-delimited JSON.
import type { JsonWriter } from "../../core/contract/json-text.ts";
import type { AppContext } from "./scope.ts";

const encoder = new TextEncoder();

/** Where text goes; after the client has gone it goes nowhere. */
export interface TextSink {
  write(text: string): void;
  /** Resolves when all that was written has been handed to the connection, or the reader is gone. */
  flushed(): Promise<void>;
  close(): void;
  /** Breaks the connection off, so that what was sent cannot be taken for the whole. */
  fail(cause: unknown): void;
}

/**
 * Ends a body in the middle. workerd takes an error that says of itself that it may be tried again
 * for a connection that ended; any other it logs as an uncaught exception, with a text that may be
 * a driver's, and counts the invocation as failed.
 */
class BrokenOff extends Error {
  readonly retryable = true;
}

/** One line of NDJSON, as `write` writes it. */
export const line = (value: unknown, write: JsonWriter = JSON.stringify): string => `${write(value)}\n`;

const HEADERS = {
  "content-type": "application/x-ndjson; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

export function ndjsonResponse(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: HEADERS });
}

/** A body that is written to from outside. `onCancel` runs when the client stops reading. */
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
    // Without a separate buffer the stream asks for more only when the last piece has gone out.
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
 * NDJSON that takes a line from `lines` whenever the client wants one, and ends the source when the
 * client goes; the request's log line waits for either.
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
