// Defines what a request without an answer came to: the failure's code, and whether it may be sent again.
// Must not know questions or how answers are read.

import { engineReason, misconfigured } from "../../core/faults/engine-reason.ts";
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { isOperatorStatus, isPassing, questionFault } from "../../core/faults/question-fault.ts";
import { failed, type GenerationParts } from "../../core/wire/chat-answer.ts";
import { isRetriedStatus, passingFaultOf, retryAfterMs } from "../../core/wire/chat-retry.ts";
import type { Clock } from "../../ports/ports.ts";
import { readBody } from "./read-body.ts";
import type { RefusalKind } from "./window.ts";

/** The result of one request. With `refusal` the backend would not take it, so it may be sent again. */
export interface AttemptResult {
  generation: GenerationParts;
  refusal: RefusalKind | null;
  /** From the backend's Retry-After, ms. */
  retry_after_ms: number | null;
  /** Whether this shows a backend that does not work. */
  backend_failed: boolean;
  /** Asking again cannot mend it, as where the configured address is wrong. */
  final?: boolean;
}

/** Refusals' bodies up to this size are read, so that the connection can be used again. */
const DRAINED_BYTES = 65_536;

/** Whether a failure shows a backend that does not work, rather than a busy one or a bad question. */
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

/** The texts that a refusal's words are compared with. */
export interface Refused {
  /** The request's body, where the reply may say what of it was refused; null: it is not read. */
  sent: string | null;
  /** Where the deployment says the backend's key; null where there is none. */
  key_variable: string | null;
}

/**
 * Result of a reply whose status is not 2xx. Its body is taken off the connection. A backend
 * that refuses for now may be asked again; a gateway's 4xx for a failed upstream is such a refusal.
 */
export async function refused(
  response: Response,
  clock: Clock,
  { sent, key_variable }: Refused,
): Promise<AttemptResult> {
  const { status, headers, body } = response;
  const ofQuestion = status >= 400 && status < 500 && !isRetriedStatus(status);
  const explained = sent !== null && ofQuestion;
  if (!explained) drain(response);
  const explanation = explained && body !== null ? await beginningOf(body) : "";
  const code = explained ? questionFault(status, explanation, sent) : codeOf(status);
  // A failure of the engine itself (500, 424) may be the question's doing: it counts against it.
  const refuses = isPassing(code) && (isRetriedStatus(status) || (explained && status !== 424));
  const refusal = outcome(code, refuses ? code : null);
  const { generation } = refusal;
  const asked = retryAfterMs(headers.get("retry-after"), clock.date(), headers.get("retry-after-ms"));
  refusal.retry_after_ms = isPassing(code) ? asked : null;
  if (refusal.retry_after_ms !== null) generation.retry_after_ms = refusal.retry_after_ms;
  if (code === "verifier_misconfigured") generation.reason = misconfigured(status, key_variable);
  else if (explained && code === "verifier_rejected") generation.reason = engineReason(explanation, sent);
  // A redirect is not followed: it could name a host that the deployment never did.
  return status < 400 ? { ...refusal, final: true } : refusal;
}

/** The code of a status whose body is not read. */
function codeOf(status: number): ItemErrorCode {
  if (isRetriedStatus(status)) return passingFaultOf(status);
  if (status >= 500 || status === 424) return "verifier_unavailable";
  if (isOperatorStatus(status)) return "verifier_misconfigured";
  return status >= 400 ? "verifier_rejected" : "verifier_bad_reply";
}

/** The beginning of a body; it is read to its end where it is small. */
async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let beginning = "";
  let bytes = 0;
  const take = (bite: Uint8Array) => {
    if (bytes < DRAINED_BYTES) beginning += decoder.decode(bite, { stream: true });
    bytes += bite.byteLength;
    return bytes <= DRAINED_BYTES;
  };
  // The part before a break may be all that it had to say.
  await readBody(body, take, "prompt").catch(() => {});
  return beginning;
}

function drain(response: Response): void {
  const length = response.headers.get("content-length");
  const small = length !== null && Number(length) <= DRAINED_BYTES;
  void (small ? response.arrayBuffer() : response.body?.cancel())?.catch(() => {});
}
