// Owns one chat-completion request: send, read, and name what came of it. Must not know slots,
// retries or prompts.
import type { SoftReader } from "../../core/judges/soft-reader.ts";
import { AnswerBuilder } from "../../core/wire/chat-answer.ts";
import { isRetriedStatus } from "../../core/wire/chat-retry.ts";
import { EventSplitter, LineTooLong, Remainder } from "../../core/wire/chat-stream.ts";
import { softened } from "../../core/wire/soft-answer.ts";
import type { Clock } from "../../scoring/ports.ts";
import { readBody } from "../fan-out/read-body.ts";
import { isBackendFailure, type Outcome, outcome, refusedQuestion } from "../fan-out/refusal.ts";

export interface Endpoint {
  url: string;
  headers: Record<string, string>;
  fetch: typeof fetch;
  clock: Clock;
  /** Where the deployment says the key. */
  key_variable: string;
}

/**
 * Posts one question and reads its answer, streamed or not. Never rejects for what the backend or
 * the network does.
 *
 * No headers: refused (`verifier_unavailable`), may be retried. Broken off after the headers: a
 * connection that ends early with an error is a backend that died (`verifier_unavailable`), one
 * that ends in good order without the answer's end is
 * `verifier_bad_reply`; neither is sent again, since the generation has already cost the GPU its
 * time. `onBytes` is called with every piece of an answer, first as soon as it begins; in small
 * pieces when the answer is `watched`. `soft` looks on for the labels' probabilities.
 */
export async function complete(
  endpoint: Endpoint,
  body: string,
  signal: AbortSignal,
  onHeaders: (accepted: boolean) => void,
  onBytes: () => void = () => {},
  watched = false,
  soft: SoftReader | null = null,
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
  if (response.ok) return readAnswer(response, onBytes, watched, soft, signal);
  return refusedQuestion(response, endpoint.clock, { sent: body, key_variable: endpoint.key_variable });
}

async function readAnswer(
  response: Response,
  onBytes: () => void,
  watched: boolean,
  soft: SoftReader | null,
  signal: AbortSignal,
): Promise<Outcome> {
  const answer = new AnswerBuilder(soft);
  try {
    if (response.body !== null) {
      const json = response.headers.get("content-type")?.includes("json") ?? false;
      await (json ? readDocument(response.body, answer, onBytes) : readEvents(response.body, answer, onBytes, watched));
    }
  } catch (fault) {
    const broken = outcome(fault instanceof LineTooLong ? "verifier_bad_reply" : "verifier_unavailable");
    // Of one that this side ended it is known what it cost until then.
    if (signal.aborted) broken.answered.completion_tokens = answer.tokens;
    return broken;
  }
  const answered = softened(answer.result(), soft);
  // Too busy, said inside a reply that had begun: as good as a 429.
  const refusal = answered.error === "verifier_overloaded" ? answered.error : null;
  return { answered, refusal, retry_after_ms: null, backend_failed: isBackendFailure(answered.error) };
}

/**
 * Some tokens: small enough that a slow answer is not taken for silence, and large enough not to
 * wake for each.
 */
const WATCHED_BITE_BYTES = 1_024;

async function readEvents(
  body: ReadableStream<Uint8Array>,
  answer: AnswerBuilder,
  onBytes: () => void,
  watched: boolean,
): Promise<void> {
  let answering = false;
  const events = new EventSplitter((data) => {
    answering = true;
    return answer.event(data);
  });
  const take = (bytes: Uint8Array) => {
    onBytes();
    return events.push(bytes);
  };
  // Before an answer there may be comments only, by which a server says that it still lives: each
  // of them counts.
  await readBody(body, take, watched ? () => (answering ? WATCHED_BITE_BYTES : 1) : "first_prompt");
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
