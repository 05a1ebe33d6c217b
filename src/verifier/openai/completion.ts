// One chat-completion request: send, read, and name the result. Must not know slots, retries or prompts.
import type { SoftReader } from "../../core/judges/soft-reader.ts";
import { AnswerBuilder } from "../../core/wire/chat-answer.ts";
import { EventSplitter } from "../../core/wire/chat-stream.ts";
import { softened } from "../../core/wire/soft-answer.ts";
import { breakOf, type Endpoint, exchange, readDocument } from "../fan-out/exchange.ts";
import { readBody } from "../fan-out/read-body.ts";
import { type AttemptResult, isBackendFailure, outcome } from "../fan-out/refusal.ts";
import type { ImageBody } from "./image-body.ts";

/**
 * `brief`: with so few tokens that it is over as soon as it begins, so that one wait does for both; each
 * costs a seventh of what a Worker's fetch does. `watched`: its silence is distinguished from its slowness.
 */
type AnswerPace = "watched" | "brief" | "thinking";

/**
 * Posts one question and reads its answer, streamed or not. Never rejects for what the backend or
 * the network does.
 *
 * No headers: refused (`verifier_unavailable`), may be retried. Broken off after the headers: a
 * connection that ends early with an error is a backend that died (`verifier_unavailable`), one
 * that ends in good order without the answer's end is
 * `verifier_bad_reply`; neither is sent again, since the generation has already cost the GPU its
 * time. `onBytes` is called with every piece of an answer, first as soon as it begins, but of a
 * `brief` one; in small pieces when it is `watched`. `soft` looks on for the labels' probabilities.
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
  // No frame keeps the body while its answer is read.
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
    // For an answer that this side ended the cost until then is known.
    if (signal.aborted) ended.generation.completion_tokens = answer.tokens;
    return ended;
  }
  const answered = softened(answer.result(), soft);
  // Too busy, said inside a reply that had begun: as good as a 429.
  const refusal = answered.error === "verifier_overloaded" ? answered.error : null;
  return { generation: answered, refusal, retry_after_ms: null, backend_failed: isBackendFailure(answered.error) };
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
  // Before an answer there may be comments only, by which a server says that it still lives: each
  // of them counts.
  const paces = {
    watched: () => (answering ? WATCHED_BITE_BYTES : 1),
    brief: "large",
    thinking: "first_prompt",
  } as const;
  await readBody(body, take, paces[pace]);
  events.end();
}
