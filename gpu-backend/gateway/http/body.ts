// Reads a request's body as text: within its bytes and its time, UTF-8 alone.
import type { IncomingMessage } from "node:http";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";

const tooLarge = () =>
  new ApiError(
    "body_too_large",
    `The body is over the limit body_bytes = ${GATEWAY_LIMITS.body_bytes} of this gateway. Send less in a request.`,
  );

const tooSlow = () =>
  new ApiError("request_timeout", `The body did not arrive within the limit body_read_ms = ${LIMITS.body_read_ms}.`);

/** The body as text. Rejects at the first fault and then reads no further. */
export function readText(request: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const text = new BodyText();
  const timer = setTimeout(() => settle(() => reject(tooSlow())), LIMITS.body_read_ms);
  const onData = (bytes: Uint8Array) => guarded(() => text.push(bytes));
  const onEnd = () => guarded(() => settle(() => resolve(text.end())));
  const onClose = () => settle(() => reject(new ApiError("request_timeout", "The body did not arrive whole.")));
  const settle = (outcome: () => void) => {
    clearTimeout(timer);
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
  if (Number(request.headers["content-length"] ?? 0) > GATEWAY_LIMITS.body_bytes) settle(() => reject(tooLarge()));
  else request.on("data", onData).on("end", onEnd).on("close", onClose);
  return promise;
}

/** Apart, so that a kept connection's last request does not hold on to the text. */
const ignore = () => {};

const UTF8 = { fatal: true } as const;
const whole = new TextDecoder("utf-8", UTF8);

/**
 * Decodes piece by piece, so that the bytes and the text are never both held whole; one piece alone needs no
 * decoder.
 */
class BodyText {
  #first: Uint8Array | null = null;
  #decoder: TextDecoder | null = null;
  #text = "";
  #bytes = 0;

  push(bytes: Uint8Array): void {
    this.#bytes += bytes.byteLength;
    if (this.#bytes > GATEWAY_LIMITS.body_bytes) throw tooLarge();
    if (this.#first === null) {
      this.#first = bytes;
      return;
    }
    if (this.#decoder === null) {
      this.#decoder = new TextDecoder("utf-8", UTF8);
      this.#text = decoded(this.#decoder, this.#first, true);
    }
    this.#text += decoded(this.#decoder, bytes, true);
  }

  end(): string {
    if (this.#decoder !== null) return this.#text + decoded(this.#decoder, undefined, false);
    return this.#first === null ? "" : decoded(whole, this.#first, false);
  }
}

/** @param more whether bytes of the same text follow */
function decoded(decoder: TextDecoder, bytes: Uint8Array | undefined, more: boolean): string {
  try {
    return decoder.decode(bytes, { stream: more });
  } catch {
    throw new ApiError("invalid_encoding", "The body holds bytes that are not UTF-8.");
  }
}
