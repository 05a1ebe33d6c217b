// Drains request bodies that are not used, because most clients read the reply only after they have sent the
// complete body.

import { LIMITS } from "../../core/faults/limits.ts";
import { type BodyReading, pacer, readingOf } from "./body-reading.ts";

/**
 * Reads and discards the rest of a body, up to body_drain_bytes and for up to body_read_ms. After that, the
 * connection is closed.
 */
export async function drain(reader: ReadableStreamDefaultReader<Uint8Array>, reading: BodyReading): Promise<void> {
  const pace = pacer(reading);
  let cancel = () => {};
  const late = new Promise<{ done: true }>((resolve) => {
    cancel = reading.timers.after(LIMITS.body_read_ms, () => resolve({ done: true }));
  });
  try {
    for (let bytes = 0; bytes <= LIMITS.body_drain_bytes; ) {
      await pace(bytes);
      const piece = await Promise.race([reader.read(), late]);
      if (piece.done) break;
      bytes += piece.value.byteLength;
    }
  } catch {
    // The client has disconnected and will not read a reply.
  } finally {
    cancel();
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Drains the body of a request that was answered without reading the body, such as one with an invalid key.
 */
export async function drainUnread(request: Request): Promise<void> {
  if (request.body !== null && !request.bodyUsed && !request.body.locked)
    await drain(request.body.getReader(), readingOf(request));
}
