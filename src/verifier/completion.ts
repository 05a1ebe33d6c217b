// Owns one chat-completion request: send, read, and name what came of it. Must not know slots, retries or prompts.
import { AnswerBuilder } from "../core/chat-answer.ts";
import { isRetriedStatus } from "../core/chat-retry.ts";
import { EventSplitter, LineTooLong, Remainder } from "../core/chat-stream.ts";
import type { Clock } from "../ports.ts";
import { isBackendFailure, type Outcome, outcome, refused } from "./refusal.ts";
import { readBody } from "./sse.ts";

export interface Endpoint {
  url: string;
  headers: Record<string, string>;
  fetch: typeof fetch;
  clock: Clock;
}

/**
 * Posts one question and reads its answer, streamed or not. Never rejects for what the backend or the network does.
 *
 * No headers: refused (`verifier_unavailable`), may be retried. Broken off after the headers: a connection that ends early
 * with an error is a backend that died (`verifier_unavailable`), one that ends in good order without the answer's end is
 * `verifier_bad_reply`; neither is sent again, since the generation has already cost the GPU its time. `onBytes` is called with
 * every piece of an answer, first as soon as it begins.
 */
export async function complete(
  endpoint: Endpoint,
  body: string,
  signal: AbortSignal,
  onHeaders: (accepted: boolean) => void,
  onBytes: () => void = () => {},
): Promise<Outcome> {
  let response: Response;
  try {
    response = await endpoint.fetch(endpoint.url, {
      method: "POST",
      headers: endpoint.headers,
      body,
      signal,
      redirect: "manual",
    });
  } catch {
    onHeaders(false);
    return outcome("verifier_unavailable", "verifier_unavailable");
  }
  onHeaders(!isRetriedStatus(response.status));
  return response.ok ? readAnswer(response, onBytes) : refused(response, endpoint.clock);
}

async function readAnswer(response: Response, onBytes: () => void): Promise<Outcome> {
  const answer = new AnswerBuilder();
  try {
    if (response.body !== null) {
      const json = response.headers.get("content-type")?.includes("json") ?? false;
      await (json ? readDocument(response.body, answer, onBytes) : readEvents(response.body, answer, onBytes));
    }
  } catch (fault) {
    return outcome(fault instanceof LineTooLong ? "verifier_bad_reply" : "verifier_unavailable");
  }
  const answered = answer.result();
  return { answered, refusal: null, retry_after_ms: null, backend_failed: isBackendFailure(answered.error) };
}

async function readEvents(body: ReadableStream<Uint8Array>, answer: AnswerBuilder, onBytes: () => void): Promise<void> {
  const events = new EventSplitter((data) => answer.event(data));
  const take = (bytes: Uint8Array) => {
    onBytes();
    return events.push(bytes);
  };
  await readBody(body, take, "first_prompt");
  events.end();
}

async function readDocument(
  body: ReadableStream<Uint8Array>,
  answer: AnswerBuilder,
  onBytes: () => void,
): Promise<void> {
  const document = new Remainder();
  await readBody(body, (bytes) => {
    onBytes();
    document.keep(bytes);
    return true;
  });
  answer.document(document.take(new Uint8Array(0)));
}
