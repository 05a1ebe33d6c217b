// One request to POST /v1/rewards: patience with a busy server, and the reply checked.
import type * as z from "zod";
import { LIMITS } from "../../../src/core/faults/limits.ts";

const ATTEMPTS_MAX = 6;
const RETRY_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export interface Posting {
  target: string;
  api_key: string | null;
  signal: AbortSignal;
}

/**
 * The reply of POST /v1/rewards, in the parts that the schema keeps.
 * @throws Error with the server's own words when the request is refused, or fails after the attempts allowed
 */
export async function postRewards<T>(
  { target, api_key, signal }: Posting,
  body: string,
  schema: z.ZodType<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptPost(`${target}/v1/rewards`, body, { key: api_key, signal, schema });
    if ("reply" in outcome) return outcome.reply;
    if (!outcome.retryable || attempt === ATTEMPTS_MAX) throw new Error(outcome.fault);
    await pause(outcome.wait_ms ?? Math.min(500 * 2 ** (attempt - 1), LIMITS.retry_after_ms_max), signal);
  }
}

type Outcome<T> = { reply: T } | { fault: string; retryable: boolean; wait_ms: number | null };

async function attemptPost<T>(
  url: string,
  body: string,
  { key, signal, schema }: { key: string | null; signal: AbortSignal; schema: z.ZodType<T> },
): Promise<Outcome<T>> {
  const headers = { "content-type": "application/json", ...(key !== null && { authorization: `Bearer ${key}` }) };
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal });
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
