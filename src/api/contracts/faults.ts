// Owns how each dialect's clients read an error: the shapes and statuses of Cohere, Jina, vLLM,
// OpenAI and TEI. Knows no cause of a fault.
import { matchedRoutes } from "hono/route";
import { type ApiError, REQUEST_ERRORS } from "../../core/faults/errors.ts";
import type { Dialect, Said } from "../http/dialect.ts";
import { problemResponse, problemType } from "../http/problem.ts";
import type { AppContext } from "../http/scope.ts";
import { Unjudged } from "./rerank/unjudged.ts";
import { NEMO_GYM_PREFIXES } from "./samples/nemo-gym.ts";

const TYPES: Record<number, string> = {
  401: "AuthenticationError",
  404: "NotFoundError",
  422: "UnprocessableEntityError",
  429: "RateLimitError",
  503: "ServiceUnavailableError",
  504: "TimeoutError",
};
const typeOf = (status: number) => TYPES[status] ?? (status < 500 ? "BadRequestError" : "InternalServerError");

/**
 * One body for three readers: Cohere's `message`, Jina's `detail` (a problem document's own),
 * vLLM's `error` object.
 */
export const rerankers: Dialect = ({ status, message, param }) => ({
  status,
  members: { message, error: { message, type: typeOf(status), param, code: status } },
});

const OPENAI_TYPES: Record<number, string> = { 401: "authentication_error", 429: "rate_limit_error" };

/** OpenAI's error object; a spec that does not exist is a model that does not exist. */
export const openai: Dialect = ({ status, code, message, param }) => {
  const missing = code === "unknown_spec";
  const shown = missing ? 404 : status;
  const type = OPENAI_TYPES[shown] ?? (shown < 500 ? "invalid_request_error" : "server_error");
  const named = missing ? { param: "model", code: "model_not_found" } : { param, code };
  return { status: shown, members: { error: { message, type, ...named } } };
};

const TEI_BACKEND = new Set([
  "verifier_unavailable",
  "context_exceeded",
  "content_filtered",
  "verifier_rejected",
  "verifier_bad_reply",
  "unparsed",
  "deadline",
  "internal",
]);

function teiKind({ status, code }: Said): readonly [status: number, type: string] {
  if (TEI_BACKEND.has(code)) return [424, "backend"];
  if (status === 429) return [429, "overloaded"];
  if (status >= 500) return [503, "unhealthy"];
  return status === 400 ? [422, "validation"] : [status, "validation"];
}

/** TEI: `error` is a text, `error_type` one of its own words. */
export const tei: Dialect = (said) => {
  const [status, error_type] = teiKind(said);
  return { status, members: { error: said.message, error_type } };
};

/** TEI's refusal of an empty list. */
export const teiEmpty: Dialect = ({ message }) => ({ status: 400, members: { error: message, error_type: "empty" } });

/**
 * Trainers that read a status and pass the body on to a person: FastAPI's `detail` (a problem
 * document's own) and a plain `error`.
 */
const trainers: Dialect = ({ status, message }) => ({ status, members: { error: message } });

/**
 * Routes whose faults are told in a dialect from the start, so that a refused key is readable too.
 * `/rerank` may turn to TEI's.
 */
const BY_ROUTE: Readonly<Record<string, Dialect>> = {
  "/v1/rerank": rerankers,
  "/v2/rerank": rerankers,
  "/rerank": rerankers,
  "/score": rerankers,
  "/v1/score": rerankers,
  "/classify": rerankers,
  "/v1/chat/completions": openai,
  "/v1/models": openai,
  "/openrlhf/get_reward": trainers,
  "/slime/reward": trainers,
  "/verl/compute_score": trainers,
  "/evaluate": trainers,
  ...Object.fromEntries(NEMO_GYM_PREFIXES.map((prefix) => [`${prefix}/verify`, trainers])),
};

/** From here on this request's faults are told in `dialect`: for paths that two dialects share. */
export function speak(c: AppContext, dialect: Dialect): void {
  c.set("dialect", dialect);
}

function saidOf(fault: ApiError): Said {
  const shown =
    fault instanceof Unjudged
      ? { status: fault.status, code: fault.item }
      : { status: REQUEST_ERRORS[fault.code].status, code: fault.code };
  return { ...shown, message: fault.message, param: fault.errors[0]?.path ?? null };
}

/** The dialect's own members for a fault, for replies that have already begun. */
export function faultMembers(dialect: Dialect, fault: ApiError): Record<string, unknown> {
  return dialect(saidOf(fault)).members;
}

/**
 * A fault as the clients of this path read it: a problem document with their own members beside
 * its, as `application/json`, for several clients parse nothing else. null for paths that are no
 * foreign contract's.
 */
export function contractFault(c: AppContext, fault: ApiError): Response | null {
  const dialect = c.get("dialect") ?? BY_ROUTE[matchedRoutes(c).at(-1)?.path ?? ""];
  if (dialect === undefined) return null;
  const said = saidOf(fault);
  const { status, members } = dialect(said);
  const item = fault instanceof Unjudged && {
    type: problemType(said.code),
    title: fault.title,
    code: said.code,
  };
  const problem = problemResponse(fault, c.get("scope").id, { ...item, status, ...members });
  problem.headers.set("content-type", "application/json");
  return new Response(problem.body, { status, headers: problem.headers });
}
