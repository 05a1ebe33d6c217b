// Reads a fetch response's body in large bites. Must not know what the bytes say;
// src/core/wire/chat-stream.ts splits them.
/**
 * Bytes to wait for before waking up, where only the whole counts. A thinking model sends some 250
 * bytes a token; waking for each would cost more CPU than all the rest. Nothing is lost by waiting,
 * since only the complete answer counts.
 */
const BITE_BYTES = 16_384;
/**
 * The first bite is small: short answers end within it, and a buffer's allocation costs by its
 * size.
 */
const FIRST_BITE_BYTES = 4_096;

interface Read {
  done: boolean;
  value?: Uint8Array | undefined;
}

/** The byte reader of Node (`min`) and workerd (`readAtLeast`); neither's own types name both. */
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
 * How to wait: `large` wakes for large bites only, for a body that counts as a whole;
 * `first_prompt` does after the first byte, for one of which it matters when it begins; `prompt`
 * wakes for whatever has come, for one whose parts count by themselves, even if the rest never
 * comes. A function says how many bytes to wait for next, at most FIRST_BITE_BYTES.
 */
type ReadPace = "large" | "first_prompt" | "prompt" | (() => number);

/**
 * Reads a body to its end, or until `take` returns false (then the connection is given up).
 * The bytes handed to `take` are valid only during the call. Rejects as the stream does.
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
    // A stream that broke by itself refuses the cancel; that fault is already on its way to the
    // caller.
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
    // Less than was waited for is the end.
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
 * The same for streams that are not byte streams, as scripted `fetch`es return; leaving the loop
 * early cancels them.
 */
async function readChunks(body: ReadableStream<Uint8Array>, take: (bytes: Uint8Array) => boolean): Promise<boolean> {
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) if (!take(bytes)) return false;
  return true;
}
