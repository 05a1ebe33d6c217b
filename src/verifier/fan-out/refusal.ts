// Owns what a request without an answer came to: the failure's code, and whether it may be sent
// again. Must not know questions or how answers are read.

import { engineReason, isKeyRefused, keyRefused } from "../../core/faults/engine-reason.ts";
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { questionFault } from "../../core/faults/question-fault.ts";
import { failed, type GenerationParts } from "../../core/wire/chat-answer.ts";
import { isRetriedStatus, retryAfterMs } from "../../core/wire/chat-retry.ts";
import type { Clock } from "../../ports/ports.ts";
import { readBody } from "./read-body.ts";
import type { RefusalKind } from "./window.ts";

/**
 * What one request came to. With `refusal` the backend would not take it, so it may be sent again.
 */
export interface AttemptResult {
  generation: GenerationParts;
  refusal: RefusalKind | null;
  /** From the backend's Retry-After, ms. */
  retry_after_ms: number | null;
  /** Whether this tells of a backend that does not work. */
  backend_failed: boolean;
  /** Asking again cannot mend it, as where the configured address is wrong. */
  final?: boolean;
}

/** Refusals' bodies up to this size are read, so that the connection can be used again. */
const DRAINED_BYTES = 65_536;

/**
 * Whether a failure tells of a backend that does not work, rather than of a busy one or of the
 * question.
 */
export function isBackendFailure(error: ItemErrorCode | null): boolean {
  return error === "verifier_unavailable" || error === "verifier_bad_reply";
}

/** A failure by that code; with `refusal` the request may be sent again. */
export function outcome(error: ItemErrorCode, refusal: AttemptResult["refusal"] = null): AttemptResult {
  return { generation: failed(error), refusal, retry_after_ms: null, backend_failed: isBackendFailure(error) };
}

/** The code of what an abort with this reason leaves unanswered. */
export function stopCode(reason: unknown): ItemErrorCode {
  if (reason === "cancelled") return reason;
  const named = reason instanceof Error && (reason.name === "cancelled" || reason.message === "cancelled");
  return named ? "cancelled" : "deadline";
}

/** The answer that a reply comes to, with what it cost. */
export function replied(answer: string, cost: { prompt_tokens?: number; model?: string | null } = {}): AttemptResult {
  const nothing = { prompt_tokens: 0, completion_tokens: 0, model: null };
  const answered = { answer, thinking: "none", finish_reason: "stop", error: null, ...nothing, ...cost } as const;
  return { generation: answered, refusal: null, retry_after_ms: null, backend_failed: false };
}

function byStatus({ status, headers }: Response, clock: Clock): AttemptResult {
  if (isRetriedStatus(status)) {
    const refusal = status === 429 || status === 503 ? "verifier_overloaded" : "verifier_unavailable";
    const retry_after_ms = retryAfterMs(headers.get("retry-after"), clock.date());
    return { ...outcome(refusal, refusal), retry_after_ms };
  }
  if (status >= 500) return outcome("verifier_unavailable");
  // A redirect is not followed: it could name a host that the deployment never did.
  return status >= 400 ? outcome("verifier_rejected") : { ...outcome("verifier_bad_reply"), final: true };
}

/** What a refusal's own words are read against. */
export interface Refused {
  /** The request's body, where the reply may say what of it was refused; null: it is not read. */
  sent: string | null;
  /** Where the deployment says the backend's key; null where there is none. */
  key_variable: string | null;
}

/** What a reply whose status is not 2xx comes to. Its body is taken off the connection. */
export async function refused(
  response: Response,
  clock: Clock,
  { sent, key_variable }: Refused,
): Promise<AttemptResult> {
  const { status, body } = response;
  const explained = sent !== null && status >= 400 && status < 500 && !isRetriedStatus(status);
  if (!explained) drain(response);
  const explanation = explained && body !== null ? await beginningOf(body) : "";
  const refusal = explained ? outcome(questionFault(status, explanation)) : byStatus(response, clock);
  const { generation } = refusal;
  if (isKeyRefused(status) && key_variable !== null) generation.reason = keyRefused(key_variable);
  else if (explained && generation.error === "verifier_rejected") generation.reason = engineReason(explanation, sent);
  return refusal;
}

/** What a body begins with; it is read to its end where it is small. */
async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let beginning = "";
  let bytes = 0;
  const take = (bite: Uint8Array) => {
    if (bytes < DRAINED_BYTES) beginning += decoder.decode(bite, { stream: true });
    bytes += bite.byteLength;
    return bytes <= DRAINED_BYTES;
  };
  // What came before it broke may be all that it had to say.
  await readBody(body, take, "prompt").catch(() => {});
  return beginning;
}

function drain(response: Response): void {
  const length = response.headers.get("content-length");
  const small = length !== null && Number(length) <= DRAINED_BYTES;
  void (small ? response.arrayBuffer() : response.body?.cancel())?.catch(() => {});
}
