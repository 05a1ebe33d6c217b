// Reads the body of a fetch response in large chunks. The bytes are not interpreted;
// src/core/wire/chat-stream.ts splits them.
/**
 * Bytes to wait for per read if only the complete body matters. A thinking model sends about 250 bytes
 * per token; waking up for each token would cost more CPU than everything else.
 */
const BITE_BYTES = 16_384;
/** The first read is small: short answers fit, and the cost of allocating a buffer grows with its size. */
const FIRST_BITE_BYTES = 4_096;

interface Read {
  done: boolean;
  value?: Uint8Array | undefined;
}

/** The byte reader of Node (`min`) or workerd (`readAtLeast`); neither platform's types declare both. */
interface ByteReader {
  read(view: Uint8Array, options: { min: number }): Promise<Read>;
  readAtLeast?(min: number, view: Uint8Array): Promise<Read>;
  cancel(reason?: unknown): Promise<void>;
}

function byteReader(body: ReadableStream<Uint8Array>): ByteReader | null {
  try {
    return (body as unknown as { getReader(options: { mode: "byob" }): ByteReader }).getReader({ mode: "byob" });
  } catch {
    return null;
  }
}

/**
 * When to wake up. `large`: only after large reads, for a body that is useful only when complete.
 * `first_prompt`: also after the first byte, for callers that must know when the answer begins. `prompt`:
 * after any bytes, for a body whose parts are useful without the rest. A function returns the number of bytes
 * to wait for next, at most FIRST_BITE_BYTES.
 */
type ReadPace = "large" | "first_prompt" | "prompt" | (() => number);

/**
 * Reads a body to its end, or until `take` returns false, which closes the connection. The bytes passed
 * to `take` are valid only during the call. Rejects if the stream fails.
 */
export async function readBody(
  body: ReadableStream<Uint8Array>,
  take: (bytes: Uint8Array) => boolean,
  pace: ReadPace = "large",
): Promise<void> {
  const reader = byteReader(body);
  let ended = false;
  try {
    ended = await (reader === null ? readChunks(body, take) : readBites(reader, take, pace));
  } finally {
    // Cancelling a stream that has failed rejects, but the caller already receives the stream's error.
    if (!ended) void reader?.cancel().catch(() => {});
  }
}

/** @returns whether the body was read to its end */
async function readBites(reader: ByteReader, take: (bytes: Uint8Array) => boolean, pace: ReadPace): Promise<boolean> {
  let view = new Uint8Array(FIRST_BITE_BYTES);
  for (let bites = 0; ; bites++) {
    const size = view.byteLength;
    const minBytes = leastBytes(pace, bites, size);
    const { done, value } = await readBite(reader, view, minBytes);
    if (value !== undefined && value.byteLength > 0 && !take(value)) return false;
    // A read shorter than the minimum marks the end of the body.
    if (done || value === undefined || value.byteLength < minBytes) return true;
    const grow = value.byteLength === size && size < BITE_BYTES;
    view = grow ? new Uint8Array(BITE_BYTES) : new Uint8Array(value.buffer as ArrayBuffer);
  }
}

function leastBytes(pace: ReadPace, bites: number, size: number): number {
  if (typeof pace === "function") return pace();
  return pace === "prompt" || (pace === "first_prompt" && bites === 0) ? 1 : size;
}

function readBite(reader: ByteReader, view: Uint8Array, min: number): Promise<Read> {
  return reader.readAtLeast ? reader.readAtLeast(min, view) : reader.read(view, { min });
}

/**
 * Reads streams that are not byte streams, such as those of a mocked `fetch`. Leaving the loop early
 * cancels the stream.
 */
async function readChunks(body: ReadableStream<Uint8Array>, take: (bytes: Uint8Array) => boolean): Promise<boolean> {
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) if (!take(bytes)) return false;
  return true;
}
