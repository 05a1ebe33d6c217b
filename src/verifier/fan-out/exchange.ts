// The one exchange with a backend: a request out, its headers waited for, its reply read under a bound, and a
// code for the result. Must not know slots, retries or the reply's meaning.
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
  /** Where the deployment says the key; null where there is none. */
  key_variable: string | null;
}

/** The runtime's own. Called through a closure: workerd refuses a `fetch` with another `this`. */
export const runtimeFetch: typeof fetch = (input, init) => fetch(input, init);

export interface Posted {
  body: BodyInit;
  signal: AbortSignal;
  /** Called once, when headers are there (true: not a refusal) or the wait for them has ended. */
  onHeaders: (accepted: boolean) => void;
  /**
   * The texts that were sent, where the backend's refusal says which of them it refused; null: a
   * refusal's own words are not read.
   */
  explains: string | null;
}

/** The reply, or why there is none. */
type ExchangeReply<T> = { reply: T; failed: null } | { reply: null; failed: AttemptResult; overlong?: true };

/**
 * Posts a request and waits for the headers of a reply that was not refused. Never rejects for what
 * the backend or the network does. No headers: `verifier_unavailable`, may be sent again.
 */
export async function exchange(
  { url, headers, fetch: fetcher, clock, key_variable }: Endpoint,
  { body, signal, onHeaders, explains }: Posted,
): Promise<ExchangeReply<Response>> {
  let response: Response;
  try {
    // Node insists on `duplex` for a streamed body; workerd knows no other way.
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

/** The same for a reply that counts as a whole; `overlong` when it is larger than any may be. */
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

/** A body's whole text. Rejects as the stream does. @throws LineTooLong */
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
 * Why a reply could not be read to its end; null where it was. One that is longer than any answer
 * was made by a backend that works badly; one that breaks off is of a backend that died.
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
