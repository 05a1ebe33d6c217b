// One chat-completion request: send, read, and classify the result. Independent of slots, retries and
// prompts.
import type { SoftReader } from "../../core/judges/soft-reader.ts";
import { AnswerBuilder } from "../../core/wire/chat-answer.ts";
import { EventSplitter } from "../../core/wire/chat-stream.ts";
import { softened } from "../../core/wire/soft-answer.ts";
import { breakOf, type Endpoint, exchange, readDocument } from "../fan-out/exchange.ts";
import { readBody } from "../fan-out/read-body.ts";
import { type AttemptResult, isBackendFailure, outcome } from "../fan-out/refusal.ts";
import type { ImageBody } from "./image-body.ts";

/**
 * How an answer is read. `brief`: an answer of so few tokens that it ends as soon as it begins, so one wait
 * covers both; each wait costs a seventh of a Worker's fetch. `watched`: read in small pieces, to distinguish
 * a silent backend from a slow one.
 */
type AnswerPace = "watched" | "brief" | "thinking";

/**
 * Posts one question and reads its answer, streamed or not. Never rejects for a failure of the backend
 * or the network.
 *
 * No headers: a refusal (`verifier_unavailable`) that may be retried. After the headers, a broken
 * connection means that the backend died (`verifier_unavailable`), and a reply that ends properly
 * without the end of the answer is `verifier_bad_reply`. Neither is sent again, since the generation has
 * already cost GPU time.
 *
 * `onBytes` is called for every piece of an answer, first when the answer begins, except with `brief`;
 * with `watched` the pieces are small. `soft` collects the labels' probabilities.
 */
export function complete(
  endpoint: Endpoint,
  body: string | ImageBody,
  signal: AbortSignal,
  onHeaders: (accepted: boolean) => void,
  onBytes: () => void = () => {},
  pace: AnswerPace = "thinking",
  soft: SoftReader | null = null,
): Promise<AttemptResult> {
  const [content, explains] = typeof body === "string" ? [body, body] : [body.stream(), body.text];
  // No stack frame keeps the body alive while the answer is read.
  return exchange(endpoint, { body: content, signal, onHeaders, explains }).then(
    ({ reply, failed }) => failed ?? readAnswer(reply, onBytes, pace, soft, signal),
  );
}

async function readAnswer(
  response: Response,
  onBytes: () => void,
  pace: AnswerPace,
  soft: SoftReader | null,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const answer = new AnswerBuilder(soft);
  const broken = await breakOf(async () => {
    if (response.body === null) return;
    const json = response.headers.get("content-type")?.includes("json") ?? false;
    if (json) answer.document(await readDocument(response.body, onBytes));
    else await readEvents(response.body, answer, onBytes, pace);
  });
  if (broken !== null) {
    const ended = outcome(broken);
    // Tokens generated before we aborted the answer.
    if (signal.aborted) ended.generation.completion_tokens = answer.tokens;
    return ended;
  }
  const answered = softened(answer.result(), soft);
  // An overload reported in a reply that had already begun counts like a 429.
  const refusal = answered.error === "verifier_overloaded" ? answered.error : null;
  return { generation: answered, refusal, retry_after_ms: null, backend_failed: isBackendFailure(answered.error) };
}

/**
 * The size of a few tokens: small enough that a slow answer is not mistaken for silence, and large enough not
 * to wake up for every token.
 */
const WATCHED_BITE_BYTES = 1_024;

async function readEvents(
  body: ReadableStream<Uint8Array>,
  answer: AnswerBuilder,
  onBytes: () => void,
  pace: AnswerPace,
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
  // Before the answer, a server may send only comments as keep-alives. Each comment counts as a sign of life.
  const paces = {
    watched: () => (answering ? WATCHED_BITE_BYTES : 1),
    brief: "large",
    thinking: "first_prompt",
  } as const;
  await readBody(body, take, paces[pace]);
  events.end();
}
