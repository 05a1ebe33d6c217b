// Owns reading a request's body as JSON within its limits of size and time. Knows no schema.
import { ApiError } from "../../core/faults/errors.ts";
import { type CrowdLimit, crowding } from "../../core/faults/json-crowd.ts";
import { describeJsonFault } from "../../core/faults/json-fault.ts";
import { theLimit } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { drain } from "./drain.ts";
import { requireJson } from "./negotiation.ts";

function tooLarge(): ApiError {
  return new ApiError(
    "body_too_large",
    `The body is over the limit body_bytes = ${LIMITS.body_bytes}. Split the request into several smaller ones.`,
  );
}

const tooSlow = () =>
  new ApiError("request_timeout", `The body did not arrive within the limit body_read_ms = ${LIMITS.body_read_ms}.`);

const brokenOff = (): never => {
  throw new ApiError("body_incomplete", "The body broke off before its end, or its chunks were malformed.");
};

/**
 * Takes the bytes of each piece of a body before it is kept, and gives back (below 0) what is kept
 * no more. May throw: that ends the reading.
 */
type Receiver = (bytes: number) => void;

const receivers = new WeakMap<Request, Receiver>();

/** Has `receive` told of what comes of the request's body, whoever reads it. */
export function onReceived(request: Request, receive: Receiver): void {
  receivers.set(request, receive);
}

/** Decodes piece by piece, so that the bytes and the text are never both held whole. */
async function readText(body: ReadableStream<Uint8Array>, limit: number, receive: Receiver): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  const reader = body.getReader();
  const parts: string[] = [];
  let timer!: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), LIMITS.body_read_ms);
  });
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read().catch(brokenOff), late]);
      if (done) break;
      if (bytes + value.byteLength > limit) throw tooLarge();
      receive(value.byteLength);
      bytes += value.byteLength;
      parts.push(decoder.decode(value, { stream: true }));
    }
    parts.push(decoder.decode());
    return parts.length === 2 ? (parts[0] as string) + parts[1] : parts.join("");
  } catch (error) {
    parts.length = 0;
    receive(-bytes);
    const slow = error instanceof ApiError && error.code === "request_timeout";
    await (slow ? reader.cancel().catch(() => undefined) : drain(reader));
    if (error instanceof TypeError) {
      throw new ApiError("invalid_encoding", "The body holds bytes that are not UTF-8.");
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Refused before it is parsed: to take in and look at a million fields costs seconds, whatever they
 * are.
 */
function invalidFields(name: CrowdLimit): ApiError {
  const where = name === "object_keys_max" ? "an object" : "the body";
  const message = `too many fields in ${where}; ${theLimit(name)}`;
  return new ApiError("invalid_request", `$: ${message}`, { errors: [{ path: "$", message }] });
}

/** A body as parsed JSON, and the text it was parsed from. */
interface JsonBody {
  value: unknown;
  text: string;
}

/**
 * The body as parsed JSON. Never holds more than `limit` bytes of it. Throws
 * `unsupported_media_type`, `body_too_large`,
 * `body_incomplete`, `request_timeout`, `invalid_encoding`, `invalid_json` naming the place, or
 * `invalid_request` for too many fields.
 */
export async function readJsonBody(request: Request, limit: number = LIMITS.body_bytes): Promise<JsonBody> {
  requireJson(request.headers);
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge();
  const text = request.body === null ? "" : await readText(request.body, limit, receivers.get(request) ?? (() => {}));
  const crowd = crowding(text);
  if (crowd !== null) throw invalidFields(crowd);
  try {
    return { value: JSON.parse(text), text };
  } catch {
    const fault = describeJsonFault(text);
    throw new ApiError("invalid_json", fault.detail, { errors: [{ path: fault.path, message: fault.message }] });
  }
}

/** The same for those who need only the value. */
export async function readJson(request: Request, limit: number = LIMITS.body_bytes): Promise<unknown> {
  return (await readJsonBody(request, limit)).value;
}
