// Error dialects: formats and statuses of Cohere, Jina, vLLM, OpenAI, TEI, Infinity, Google, Pinecone and the
// trainers.
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
 * One body for three kinds of clients: Cohere reads `message`, Jina `detail` (already in the problem
 * document), vLLM the `error` object.
 */
export const rerankers: FaultDialect = ({ status, message, param }) => ({
  status,
  members: { message, error: { message, type: typeOf(status), param, code: status } },
});

/**
 * Infinity is a FastAPI server: its client expects a 422 with `detail` as a list, and does not handle 400.
 * Other statuses use OpenAI's object.
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

/** Google's APIs: `code` is the HTTP status, `status` its canonical name. */
export const google: FaultDialect = ({ status, message }) => ({
  status,
  members: { error: { code: status, message, status: canonical(status) } },
});

/** Pinecone: `code` is Google's canonical name. */
export const pinecone: FaultDialect = ({ status, message }) => ({
  status,
  members: { error: { code: canonical(status), message } },
});

const OPENAI_TYPES: Record<number, string> = { 401: "authentication_error", 429: "rate_limit_error" };

/** OpenAI's error object; an unknown spec is reported as an unknown model. */
export const openai: FaultDialect = ({ status, code, message, param }) => {
  const missing = code === "unknown_spec";
  const shown = missing ? 404 : status;
  const type = OPENAI_TYPES[shown] ?? (shown < 500 ? "invalid_request_error" : "server_error");
  const named = missing ? { param: "model", code: "model_not_found" } : { param, code };
  return { status: shown, members: { error: { message, type, ...named } } };
};

/**
 * Whether TEI reports a code as a backend error: failures of items and internal errors, except those in
 * TEI_OTHERS.
 */
const isTeiBackend = (code: string): boolean =>
  code === "internal" || (Object.hasOwn(ITEM_ERRORS, code) && !TEI_OTHERS.has(code));
/**
 * Item errors that are not backend errors for TEI. `facts_required` is one of them, because a ranking request
 * cannot carry facts.
 */
const TEI_OTHERS = new Set(["verifier_overloaded", "group_too_small", "cancelled", "facts_required"]);

function teiKind({ status, code }: RequestFault): readonly [status: number, type: string] {
  if (isTeiBackend(code)) return [424, "backend"];
  if (status === 429) return [429, "overloaded"];
  if (status >= 500) return [503, "unhealthy"];
  return status === 400 ? [422, "validation"] : [status, "validation"];
}

/** TEI: `error` is the message, `error_type` one of TEI's types. */
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
 * Trainers that read only the status and show the body to a person: FastAPI's `detail` (already in the
 * problem document) and a plain `error`.
 */
export const trainers: FaultDialect = ({ status, message }) => ({ status, members: { error: message } });
