// Error dialects: the error formats and statuses of Cohere, Jina, vLLM, OpenAI, TEI, Infinity, Google,
// Pinecone and the trainers.
import { ITEM_ERRORS } from "../../../core/faults/errors.ts";
import type { FaultDialect, RequestFault } from "../../door/dialect.ts";

const TYPES: Record<number, string> = {
  401: "AuthenticationError",
  404: "NotFoundError",
  422: "UnprocessableEntityError",
  429: "RateLimitError",
  502: "BadGatewayError",
  503: "ServiceUnavailableError",
  504: "TimeoutError",
};
const typeOf = (status: number) => TYPES[status] ?? (status < 500 ? "BadRequestError" : "InternalServerError");

/**
 * An error body for three kinds of clients: Cohere's read `message`, Jina's read `detail` (which is already
 * in the problem document), and vLLM's read the object `error`.
 */
export const rerankers: FaultDialect = ({ status, message, param }) => ({
  status,
  members: { message, error: { message, type: typeOf(status), param, code: status } },
});

/**
 * Errors as Infinity, a FastAPI server, reports them. Its client expects 422 with a list in `detail` and does
 * not handle 400. For other statuses, the error is OpenAI's object.
 */
export const infinity: FaultDialect = ({ status, code, message, param }) => {
  const shown = status === 400 ? 422 : status;
  const error = { message, type: typeOf(status), param, code: shown };
  const detail = [{ loc: ["body", ...(param === null ? [] : [param])], msg: message, type: code }];
  return { status: shown, members: { error, ...(shown === 422 && { detail }) } };
};

const CANONICAL: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  422: "FAILED_PRECONDITION",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};
const canonical = (status: number) => CANONICAL[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");

/** Errors of Google's APIs, in which `code` is the HTTP status and `status` its canonical name. */
export const google: FaultDialect = ({ status, message }) => ({
  status,
  members: { error: { code: status, message, status: canonical(status) } },
});

/** Errors of Pinecone, in which `code` is the canonical name that Google uses. */
export const pinecone: FaultDialect = ({ status, message }) => ({
  status,
  members: { error: { code: canonical(status), message } },
});

const OPENAI_TYPES: Record<number, string> = { 401: "authentication_error", 429: "rate_limit_error" };

/** Errors of OpenAI's APIs. An unknown spec is reported as an unknown model. */
export const openai: FaultDialect = ({ status, code, message, param }) => {
  const missing = code === "unknown_spec";
  const shown = missing ? 404 : status;
  const type = OPENAI_TYPES[shown] ?? (shown < 500 ? "invalid_request_error" : "server_error");
  const named = missing ? { param: "model", code: "model_not_found" } : { param, code };
  return { status: shown, members: { error: { message, type, ...named } } };
};

/** Whether a code is reported as TEI's backend error: rollout errors, except TEI_OTHERS, and `internal`. */
const isTeiBackend = (code: string): boolean =>
  code === "internal" || (Object.hasOwn(ITEM_ERRORS, code) && !TEI_OTHERS.has(code));
/**
 * Rollout errors that are not reported as TEI's backend errors. `facts_required` is one of them, because a
 * ranking request cannot contain facts.
 */
const TEI_OTHERS = new Set(["verifier_overloaded", "group_too_small", "cancelled", "facts_required"]);

function teiKind({ status, code }: RequestFault): readonly [status: number, type: string] {
  if (isTeiBackend(code)) return [424, "backend"];
  if (status === 429) return [429, "overloaded"];
  if (status >= 500) return [503, "unhealthy"];
  return status === 400 ? [422, "validation"] : [status, "validation"];
}

/** Errors of TEI, in which `error` is the message and `error_type` is one of TEI's types. */
export const tei: FaultDialect = (fault) => {
  const [status, error_type] = teiKind(fault);
  return { status, members: { error: fault.message, error_type } };
};

/** TEI's error for an empty list. */
export const teiEmpty: FaultDialect = ({ message }) => ({
  status: 400,
  members: { error: message, error_type: "empty" },
});

/**
 * Errors for trainers, which read only the status and show the body to a person: a plain `error`, next to
 * FastAPI's `detail`, which is already in the problem document.
 */
export const trainers: FaultDialect = ({ status, message }) => ({ status, members: { error: message } });
