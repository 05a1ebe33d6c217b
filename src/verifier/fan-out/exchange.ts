// One HTTP exchange with a backend: sends a request, waits for headers, reads a size-limited reply, and maps
// failures to codes. Independent of slots, retries and the reply's meaning.
import { isRetriedStatus } from "../../core/wire/chat-retry.ts";
import { LineTooLong, Remainder } from "../../core/wire/chat-stream.ts";
import type { Clock } from "../../ports/ports.ts";
import { readBody } from "./read-body.ts";
import { type AttemptResult, outcome, refused } from "./refusal.ts";

export interface Endpoint {
  url: string;
  headers: Record<string, string>;
  fetch: typeof fetch;
  clock: Clock;
  /** Name of the setting that holds the key, for error messages; null if there is none. */
  key_variable: string | null;
}

/** The runtime's `fetch`, called through a closure, because workerd rejects a `fetch` with another `this`. */
export const runtimeFetch: typeof fetch = (input, init) => fetch(input, init);

export interface Posted {
  body: BodyInit;
  signal: AbortSignal;
  /** Called once, when headers arrive (true: not a refusal) or the wait for them ends. */
  onHeaders: (accepted: boolean) => void;
  /**
   * The body of the request as a string, to find the part that a refusal names. Null: refusals are not read.
   */
  explains: string | null;
}

/** The reply, or the failure. */
type ExchangeReply<T> = { reply: T; failed: null } | { reply: null; failed: AttemptResult; overlong?: true };

/**
 * Posts a request and waits for the headers of a reply that is not a refusal. Never rejects for a
 * failure of the backend or the network. Without headers the result is `verifier_unavailable` and may be
 * sent again.
 */
export async function exchange(
  { url, headers, fetch: fetcher, clock, key_variable }: Endpoint,
  { body, signal, onHeaders, explains }: Posted,
): Promise<ExchangeReply<Response>> {
  let response: Response;
  try {
    // Node requires `duplex` for a streamed body; workerd supports only this mode.
    const streamed = typeof body === "string" ? {} : { duplex: "half" };
    response = await fetcher(url, { method: "POST", headers, body, signal, redirect: "manual", ...streamed });
  } catch {
    onHeaders(false);
    return { reply: null, failed: outcome("verifier_unavailable", "verifier_unavailable") };
  }
  onHeaders(!isRetriedStatus(response.status));
  if (response.ok) return { reply: response, failed: null };
  return { reply: null, failed: await refused(response, clock, { sent: explains, key_variable }) };
}

/** Like `exchange`, but reads the whole reply. `overlong` is set if the reply exceeds the size limit. */
export async function exchangeDocument(endpoint: Endpoint, posted: Posted): Promise<ExchangeReply<string>> {
  const { reply, failed } = await exchange(endpoint, posted);
  if (failed !== null) return { reply, failed };
  let document = "";
  const broken = await breakOf(async () => {
    if (reply.body !== null) document = await readDocument(reply.body);
  });
  if (broken === null) return { reply: document, failed: null };
  return { reply: null, failed: outcome(broken), ...(broken === "verifier_bad_reply" && { overlong: true }) };
}

/**
 * Reads a whole body as a string. Rejects if the stream fails.
 * @throws LineTooLong
 */
export async function readDocument(body: ReadableStream<Uint8Array>, onBytes: () => void = () => {}): Promise<string> {
  const document = new Remainder();
  await readBody(body, (bytes) => {
    onBytes();
    document.keep(bytes);
    return true;
  });
  return document.take();
}

/**
 * The code of a reply that could not be read to its end; null if it could. `verifier_bad_reply` if it is
 * longer than any valid answer, `verifier_unavailable` if the connection broke.
 */
export async function breakOf(
  read: () => Promise<void>,
): Promise<"verifier_bad_reply" | "verifier_unavailable" | null> {
  try {
    await read();
    return null;
  } catch (fault) {
    return fault instanceof LineTooLong ? "verifier_bad_reply" : "verifier_unavailable";
  }
}
