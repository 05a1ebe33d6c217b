// One call's way: its attempts under one deadline, which failures are tried again and how long after, with
// the same body and Idempotency-Key each time.
import { errorOfReply, KritaiError } from "./errors.js";

export interface Asking {
  /** Ends when the caller's signal or the whole call's time does. */
  signal: AbortSignal;
  /** Sends the request and gives the reply to `read`, as often as failures are worth it. */
  ask<T>(request: Sent, read: (reply: Response) => Promise<T>): Promise<T>;
  /** Waits before attempt `tries` + 2, or throws what `fault` is where none is to follow. */
  pause(fault: unknown, tries: number): Promise<void>;
  /** One attempt: a 2xx reply whose body is still to be read. */
  open(request: Sent): Promise<Response>;
}

export interface Sent {
  url: string;
  method: string;
  headers: Headers;
  body: string | ArrayBuffer | undefined;
}

export interface Limits {
  fetch: typeof fetch;
  /** Failures that are tried again; a request that the server still works on is waited for. */
  retries: number;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

const BASE_MS = 500;
const CAP_MS = 20_000;
/** The server still works on an earlier attempt with the same Idempotency-Key. */
const STILL_UNDER_WAY = 409;
const ASKED_AGAIN = [408, STILL_UNDER_WAY, 429, 502, 503, 504];

/** A call that begins now. */
export function asking({ fetch: send, retries, timeoutMs, signal: outer }: Limits): Asking {
  const endsAt = Date.now() + timeoutMs;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = outer === undefined ? timeout : AbortSignal.any([outer, timeout]);

  /** The fault in the client's words; the caller's own reason where it gave up. */
  function faultOf(fault: unknown): unknown {
    if (outer?.aborted) return outer.reason;
    if (timeout.aborted) {
      const detail = `timeoutMs = ${timeoutMs} of the call passed before there was a reply`;
      return new KritaiError({ code: "client_deadline", detail, retryable: true });
    }
    return fault;
  }

  async function pause(fault: unknown, tries: number): Promise<void> {
    const error = faultOf(fault);
    if (!(error instanceof KritaiError) || error.code === "client_deadline") throw error;
    const { status, retryable, retryAfterMs } = error;
    const mayHelp = retryable && (status === null || status === 200 || ASKED_AGAIN.includes(status));
    const full = Math.random() * (retryAfterMs === null ? Math.min(CAP_MS, BASE_MS * 2 ** tries) : BASE_MS);
    const wait = (retryAfterMs ?? 0) + full;
    if (!mayHelp || (tries >= retries && status !== STILL_UNDER_WAY) || Date.now() + wait >= endsAt) throw error;
    await new Promise<void>((resolve, reject) => {
      const gone = () => {
        clearTimeout(timer);
        reject(faultOf(signal.reason));
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", gone);
        resolve();
      }, wait);
      signal.addEventListener("abort", gone, { once: true });
    });
  }

  async function open({ url, method, headers, body }: Sent): Promise<Response> {
    signal.throwIfAborted();
    const reply = await send(url, { method, headers, signal, ...(body !== undefined && { body }) }).catch(noReply);
    if (!reply.ok) throw errorOfReply(reply, await reply.text().catch(cut));
    return reply;
  }

  async function ask<T>(request: Sent, read: (reply: Response) => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await read(await open(request));
      } catch (fault) {
        await pause(fault, tries);
      }
    }
  }
  return { signal, ask, pause, open };
}

/** For a fetch that brought no reply. Its own text may hold the address; the system's code does not. */
function noReply(fault: unknown): never {
  const { cause } = fault as { cause?: { code?: unknown } };
  const why = typeof cause?.code === "string" ? `: ${cause.code}` : "";
  throw new KritaiError({ code: "connection_failed", detail: `there was no reply${why}`, retryable: true });
}

/** For a reply whose body broke off. */
export function cut(): never {
  const detail = "the connection was lost before the reply was whole";
  throw new KritaiError({ code: "connection_lost", detail, retryable: true });
}
