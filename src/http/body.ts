// Owns reading a request's body as JSON within its limits of size and time. Knows no schema.
import { ApiError } from "../core/errors.ts";
import { describeJsonFault } from "../core/json-fault.ts";
import { LIMITS } from "../core/limits.ts";
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

/** Decodes piece by piece, so that the bytes and the text are never both held whole. */
async function readText(body: ReadableStream<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  const reader = body.getReader();
  const parts: string[] = [];
  let timer!: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), LIMITS.body_read_ms);
  });
  try {
    for (let bytes = 0; ; ) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) break;
      bytes += value.byteLength;
      if (bytes > limit) throw tooLarge();
      parts.push(decoder.decode(value, { stream: true }));
    }
    parts.push(decoder.decode());
    return parts.length === 2 ? (parts[0] as string) + parts[1] : parts.join("");
  } catch (error) {
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

/** A body as parsed JSON, and the text it was parsed from. */
export interface JsonBody {
  value: unknown;
  text: string;
}

/**
 * The body as parsed JSON. Never holds more than `limit` bytes of it. Throws `unsupported_media_type`, `body_too_large`,
 * `request_timeout`, `invalid_encoding`, or `invalid_json` naming the place.
 */
export async function readJsonBody(request: Request, limit: number = LIMITS.body_bytes): Promise<JsonBody> {
  requireJson(request.headers);
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge();
  const text = request.body === null ? "" : await readText(request.body, limit);
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
