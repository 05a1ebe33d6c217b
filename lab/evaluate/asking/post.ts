// One request to POST /v1/rewards: patience with a busy server, and the reply checked.
import * as z from "zod";
import { LIMITS } from "../../../src/core/faults/limits.ts";

const ATTEMPTS_MAX = 6;
const RETRY_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export interface Posting {
  target: string;
  api_key: string | null;
  signal: AbortSignal;
}

/**
 * The reply of POST /v1/rewards, in the parts that the schema keeps. It is read as a stream, so that each
 * group can be counted when it is judged.
 * @param onGroup receives the index of each group when it is judged, again if the request is sent again
 * @throws Error with the server's own words when the request is refused, or fails after the attempts allowed
 */
export async function postRewards<T>(
  { target, api_key, signal }: Posting,
  body: string,
  schema: z.ZodType<T>,
  onGroup: (index: number) => void = () => {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptPost(`${target}/v1/rewards`, body, { key: api_key, signal, schema, onGroup });
    if ("reply" in outcome) return outcome.reply;
    if (!outcome.retryable || attempt === ATTEMPTS_MAX) throw new Error(outcome.fault);
    await pause(outcome.wait_ms ?? Math.min(500 * 2 ** (attempt - 1), LIMITS.retry_after_ms_max), signal);
  }
}

type Outcome<T> = { reply: T } | { fault: string; retryable: boolean; wait_ms: number | null };

interface Attempt<T> {
  key: string | null;
  signal: AbortSignal;
  schema: z.ZodType<T>;
  onGroup: (index: number) => void;
}

async function attemptPost<T>(
  url: string,
  body: string,
  { key, signal, schema, onGroup }: Attempt<T>,
): Promise<Outcome<T>> {
  const headers: Record<string, string> = { "content-type": "application/json", accept: "application/x-ndjson" };
  if (key !== null) headers.authorization = `Bearer ${key}`;
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal });
    const streamed = response.headers.get("content-type")?.startsWith("application/x-ndjson") === true;
    if (response.ok && streamed) return await streamedReply(url, response, schema, onGroup);
    if (response.ok) return replyOf(url, await response.json(), schema);
    const fault = `${url} answered ${response.status}: ${(await response.text()).slice(0, 1_000)}`;
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    const wait_ms = Number.isFinite(seconds) ? Math.min(seconds * 1_000, LIMITS.retry_after_ms_max) : null;
    return { fault, retryable: RETRY_STATUSES.has(response.status), wait_ms };
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as Error;
    return { fault: `${url}: ${cause instanceof Error ? cause.message : message}`, retryable: true, wait_ms: null };
  }
}

const EventSchema = z.looseObject({ type: z.string(), index: z.int().min(0).optional() });
const ErrorSchema = z.object({ code: z.string(), detail: z.string(), retryable: z.boolean() });

/** Puts the groups of a streamed reply into its last line. */
async function streamedReply<T>(
  url: string,
  response: Response,
  schema: z.ZodType<T>,
  onGroup: (index: number) => void,
): Promise<Outcome<T>> {
  const groups: unknown[] = [];
  for await (const text of linesOf(response)) {
    const event = EventSchema.parse(JSON.parse(text));
    if (event.type === "group" && event.index !== undefined) {
      groups[event.index] = event;
      onGroup(event.index);
    }
    if (event.type === "done") return replyOf(url, { ...event, groups }, schema);
    if (event.type !== "error") continue;
    const { code, detail, retryable } = ErrorSchema.parse(event);
    return { fault: `${url} ended with ${code}: ${detail}`, retryable, wait_ms: null };
  }
  return { fault: `${url} ended its reply early`, retryable: true, wait_ms: null };
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body as ReadableStream<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() as string;
    yield* lines.filter((line) => line !== "");
  }
}

function replyOf<T>(url: string, body: unknown, schema: z.ZodType<T>): Outcome<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return { reply: parsed.data };
  const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue;
  const fault = `${url} answered 200, but the body is not a Kritai reply (${path.join(".") || "the reply"}: ${message})`;
  return { fault, retryable: false, wait_ms: null };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
