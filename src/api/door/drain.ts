// Lets a client finish sending a body that will not be used: most clients read the answer only after their
// last byte.

import { LIMITS } from "../../core/faults/limits.ts";
import { systemClock } from "../../platform/clock.ts";
import { type BodyReading, pacer, readingOf } from "./body-reading.ts";

/**
 * Reads and forgets what is left, at most body_drain_bytes of it and for body_read_ms; then gives
 * up, and the connection breaks.
 */
export async function drain(reader: ReadableStreamDefaultReader<Uint8Array>, reading: BodyReading): Promise<void> {
  const pace = pacer(reading);
  let cancel = () => {};
  const late = new Promise<{ done: true }>((resolve) => {
    cancel = systemClock.after(LIMITS.body_read_ms, () => resolve({ done: true }));
  });
  try {
    for (let bytes = 0; bytes <= LIMITS.body_drain_bytes; ) {
      await pace(bytes);
      const piece = await Promise.race([reader.read(), late]);
      if (piece.done) break;
      bytes += piece.value.byteLength;
    }
  } catch {
    // The client broke off, so no answer is sent.
  } finally {
    cancel();
    await reader.cancel().catch(() => undefined);
  }
}

/** Drains a request that was answered without its body, as refusals by key, path or type are. */
export async function drainUnread(request: Request): Promise<void> {
  if (request.body !== null && !request.bodyUsed && !request.body.locked)
    await drain(request.body.getReader(), readingOf(request));
}
