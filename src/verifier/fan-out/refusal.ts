// Maps a failed request to an error code and decides whether it may be sent again. Independent of questions
// and of how answers are read.

import { engineReason, misconfigured } from "../../core/faults/engine-reason.ts";
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { isOperatorStatus, isPassing, questionFault } from "../../core/faults/question-fault.ts";
import { failed, type GenerationParts } from "../../core/wire/chat-answer.ts";
import { isRetriedStatus, passingFaultOf, retryAfterMs } from "../../core/wire/chat-retry.ts";
import type { Clock } from "../../ports/ports.ts";
import { readBody } from "./read-body.ts";
import type { RefusalKind } from "./window.ts";

/**
 * The result of one request. With `refusal` the backend did not accept the request, so it may be sent
 * again.
 */
export interface AttemptResult {
  generation: GenerationParts;
  refusal: RefusalKind | null;
  /** Retry-After of the backend, ms. */
  retry_after_ms: number | null;
  /** Whether the failure suggests a broken backend. */
  backend_failed: boolean;
  /** Whether a retry is useless, for instance because the configured address is wrong. */
  final?: boolean;
}

/** Refusal bodies up to this size are read, so that the connection can be reused. */
const DRAINED_BYTES = 65_536;

/** Whether a failure suggests a broken backend, rather than a busy one or a bad question. */
export function isBackendFailure(error: ItemErrorCode | null): boolean {
  return error === "verifier_unavailable" || error === "verifier_bad_reply";
}

/** Builds a failure with this code. With `refusal`, the request may be sent again. */
export function outcome(error: ItemErrorCode, refusal: AttemptResult["refusal"] = null): AttemptResult {
  return { generation: failed(error), refusal, retry_after_ms: null, backend_failed: isBackendFailure(error) };
}

/** The error code of samples left unanswered by an abort with this reason. */
export function stopCode(reason: unknown): ItemErrorCode {
  if (reason === "cancelled") return reason;
  const named = reason instanceof Error && (reason.name === "cancelled" || reason.message === "cancelled");
  return named ? "cancelled" : "deadline";
}

/** The result of a successful reply, with its cost. */
export function replied(answer: string, cost: { prompt_tokens?: number; model?: string | null } = {}): AttemptResult {
  const nothing = { prompt_tokens: 0, completion_tokens: 0, model: null };
  const answered = { answer, thinking: "none", finish_reason: "stop", error: null, ...nothing, ...cost } as const;
  return { generation: answered, refusal: null, retry_after_ms: null, backend_failed: false };
}

/** Context for interpreting a refusal. */
export interface Refused {
  /**
   * Body of the request, used to find the part that the refusal names. Null: the body of the refusal is not
   * read.
   */
  sent: string | null;
  /** Name of the setting that holds the backend's key; null if there is none. */
  key_variable: string | null;
}

/**
 * The result of a reply whose status is not 2xx. Its body is read or cancelled. A temporary refusal may
 * be retried; a gateway's 4xx for a failed upstream counts as temporary.
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
  // The question may have caused a failure inside the engine (500, 424), so such a failure counts against the
  // question.
  const refuses = isPassing(code) && (isRetriedStatus(status) || (explained && status !== 424));
  const refusal = outcome(code, refuses ? code : null);
  const { generation } = refusal;
  const asked = retryAfterMs(headers.get("retry-after"), clock.date(), headers.get("retry-after-ms"));
  refusal.retry_after_ms = isPassing(code) ? asked : null;
  if (refusal.retry_after_ms !== null) generation.retry_after_ms = refusal.retry_after_ms;
  if (code === "verifier_misconfigured") generation.reason = misconfigured(status, key_variable);
  else if (explained && code === "verifier_rejected") generation.reason = engineReason(explanation, sent);
  // Redirects are not followed: they could lead to a host that the deployment never configured.
  return status < 400 ? { ...refusal, final: true } : refusal;
}

/** The code of a status whose body is not read. */
function codeOf(status: number): ItemErrorCode {
  if (isRetriedStatus(status)) return passingFaultOf(status);
  if (status >= 500 || status === 424) return "verifier_unavailable";
  if (isOperatorStatus(status)) return "verifier_misconfigured";
  return status >= 400 ? "verifier_rejected" : "verifier_bad_reply";
}

/** Reads the beginning of a body. Small bodies are read to their end. */
async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let beginning = "";
  let bytes = 0;
  const take = (bite: Uint8Array) => {
    if (bytes < DRAINED_BYTES) beginning += decoder.decode(bite, { stream: true });
    bytes += bite.byteLength;
    return bytes <= DRAINED_BYTES;
  };
  // If the stream breaks, the part before the break may be the whole explanation.
  await readBody(body, take, "prompt").catch(() => {});
  return beginning;
}

function drain(response: Response): void {
  const length = response.headers.get("content-length");
  const small = length !== null && Number(length) <= DRAINED_BYTES;
  void (small ? response.arrayBuffer() : response.body?.cancel())?.catch(() => {});
}
