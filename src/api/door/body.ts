// Reads a JSON request body, with limits on its size and on the time to receive it.

import { ApiError } from "../../core/faults/errors.ts";
import { type CrowdLimit, crowding } from "../../core/faults/json-crowd.ts";
import { describeJsonFault } from "../../core/faults/json-fault.ts";
import { theLimit } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { atOnce, type BodyReading, pacer, readingOf } from "./body-reading.ts";
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
  throw new ApiError("body_incomplete", "The body ended early, or its chunks were malformed.");
};

/** Decodes the body chunk by chunk, so that all bytes and the decoded string are never in memory together. */
async function readText(body: ReadableStream<Uint8Array>, limit: number, reading: BodyReading): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  const reader = body.getReader();
  const parts: string[] = [];
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = reading.timers.after(LIMITS.body_read_ms, () => reject(tooSlow()));
  });
  const pace = pacer(reading);
  let bytes = 0;
  try {
    for (;;) {
      await pace(bytes);
      const { done, value } = await Promise.race([reader.read().catch(brokenOff), late]);
      if (done) break;
      if (bytes + value.byteLength > limit) throw tooLarge();
      reading.receive(value.byteLength);
      bytes += value.byteLength;
      parts.push(decoder.decode(value, { stream: true }));
    }
    parts.push(decoder.decode());
    return parts.length === 2 ? (parts[0] as string) + parts[1] : parts.join("");
  } catch (error) {
    parts.length = 0;
    reading.receive(-bytes);
    const slow = error instanceof ApiError && error.code === "request_timeout";
    await (slow ? reader.cancel().catch(() => undefined) : drain(reader, reading));
    if (error instanceof TypeError) {
      throw new ApiError("invalid_encoding", "The body contains bytes that are not UTF-8.");
    }
    throw error;
  } finally {
    cancel();
  }
}

/** The error for too many fields, thrown before parsing because a million fields take seconds to validate. */
function invalidFields(name: CrowdLimit): ApiError {
  const where = name === "object_keys_max" ? "an object" : "the body";
  const message = `too many fields in ${where}; ${theLimit(name)}`;
  return new ApiError("invalid_request", `$: ${message}`, { errors: [{ path: "$", message }] });
}

/** A request body: the parsed JSON and its source. */
interface JsonBody {
  value: unknown;
  text: string;
}

/**
 * Reads and parses the body, up to `limit` bytes.
 * @throws ApiError `unsupported_media_type`, `body_too_large`, `body_incomplete`, `request_timeout`,
 *   `invalid_encoding`, `invalid_json` with the position, or `invalid_request` for too many fields
 */
export async function readJsonBody(request: Request, limit: number = LIMITS.body_bytes): Promise<JsonBody> {
  requireJson(request.headers);
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge();
  const reading = readingOf(request);
  const text = request.body === null ? "" : await readText(request.body, limit, reading);
  const parsing = parsed(text);
  return { value: await (text.length > LIMITS.body_turn_chars ? reading.inTurns : atOnce)(parsing), text };
}

/** Parses JSON. Ends the time slice before each pass over the source. */
function* parsed(text: string): Generator<number, unknown> {
  yield LIMITS.turn_steps;
  const crowd = crowding(text);
  if (crowd !== null) throw invalidFields(crowd);
  yield LIMITS.turn_steps;
  try {
    return JSON.parse(text);
  } catch {
    const fault = describeJsonFault(text);
    throw new ApiError("invalid_json", fault.detail, { errors: [{ path: fault.path, message: fault.message }] });
  }
}

/** Like `readJsonBody`, but returns only the value. */
export async function readJson(request: Request, limit: number = LIMITS.body_bytes): Promise<unknown> {
  return (await readJsonBody(request, limit)).value;
}
