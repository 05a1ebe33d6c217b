// Reads a request body as UTF-8 text, with limits on size and time.
import type { IncomingMessage } from "node:http";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";
import type { BodyBytes } from "../scheduling/open-bytes.ts";

const tooLarge = () =>
  new ApiError(
    "body_too_large",
    `The body exceeds this gateway's limit body_bytes = ${GATEWAY_LIMITS.body_bytes}. Send less per request.`,
  );

const tooSlow = () =>
  new ApiError("request_timeout", `The body did not arrive within the limit body_read_ms = ${LIMITS.body_read_ms}.`);

/**
 * Returns the body as a string. Rejects at the first error and then stops reading.
 * @param memory counts the body's bytes: the declared length before it is read, and what exceeds that
 */
export function readText(request: IncomingMessage, timers: Timers, memory: BodyBytes): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const text = new BodyText();
  const disarm = timers.after(LIMITS.body_read_ms, () => settle(() => reject(tooSlow())));
  const declared = Number(request.headers["content-length"] ?? 0);
  const onData = (bytes: Uint8Array) =>
    guarded(() => {
      const beyond = text.push(bytes) - declared;
      if (beyond > 0) memory.reserve(Math.min(beyond, bytes.byteLength));
    });
  const onEnd = () => guarded(() => settle(() => resolve(text.end())));
  const onClose = () => settle(() => reject(new ApiError("request_timeout", "The body is incomplete.")));
  let settled = false;
  const settle = (outcome: () => void) => {
    settled = true;
    disarm();
    request.off("data", onData).off("end", onEnd).off("close", onClose);
    outcome();
  };
  const guarded = (read: () => void) => {
    try {
      read();
    } catch (fault) {
      settle(() => reject(fault));
    }
  };
  request.on("error", ignore);
  if (declared > GATEWAY_LIMITS.body_bytes) settle(() => reject(tooLarge()));
  else guarded(() => memory.reserve(declared));
  if (!settled) request.on("data", onData).on("end", onEnd).on("close", onClose);
  return promise;
}

/**
 * A module-level function, so that the last request of a keep-alive connection does not keep its body in
 * memory.
 */
const ignore = () => {};

const UTF8 = { fatal: true } as const;
const whole = new TextDecoder("utf-8", UTF8);

/**
 * Decodes chunk by chunk, so that the whole body is never in memory both as bytes and as a string. A body of
 * one chunk needs no streaming decoder.
 */
class BodyText {
  #first: Uint8Array | null = null;
  #decoder: TextDecoder | null = null;
  #text = "";
  #bytes = 0;

  /** @returns the number of bytes so far */
  push(bytes: Uint8Array): number {
    this.#bytes += bytes.byteLength;
    if (this.#bytes > GATEWAY_LIMITS.body_bytes) throw tooLarge();
    if (this.#first === null) {
      this.#first = bytes;
      return this.#bytes;
    }
    if (this.#decoder === null) {
      this.#decoder = new TextDecoder("utf-8", UTF8);
      this.#text = decoded(this.#decoder, this.#first, true);
    }
    this.#text += decoded(this.#decoder, bytes, true);
    return this.#bytes;
  }

  end(): string {
    if (this.#decoder !== null) return this.#text + decoded(this.#decoder, undefined, false);
    return this.#first === null ? "" : decoded(whole, this.#first, false);
  }
}

/** @param more whether more bytes follow */
function decoded(decoder: TextDecoder, bytes: Uint8Array | undefined, more: boolean): string {
  try {
    return decoder.decode(bytes, { stream: more });
  } catch {
    throw new ApiError("invalid_encoding", "The body contains bytes that are not UTF-8.");
  }
}
