// The error of a failed call: the server's problem document, or the client's own words in the same form. Must
// not know routes.
import type { components } from "./openapi.generated.js";

type ServerCode = components["schemas"]["Problem"]["code"];
/** Codes of failures that no document of the server's describes. */
type ClientCode =
  | "connection_failed"
  | "connection_lost"
  | "client_deadline"
  | "bad_reply"
  | "verifier_unavailable"
  | "verifier_overloaded"
  | "verifier_bad_reply"
  | "deadline";

export interface FieldFault {
  /** Such as `groups[3].rollouts[0].text`. */
  path: string;
  message: string;
}

export interface Failure {
  code: string;
  detail: string;
  status?: number | null;
  request_id?: string | null;
  retryable?: boolean;
  errors?: readonly FieldFault[];
  retryAfterMs?: number | null;
}

/** A call that brought no reply. Its texts never hold the key, the address or what was sent. */
export class KritaiError extends Error {
  override readonly name = "KritaiError";
  /** `/docs/errors` of the server explains its codes. `http_502`: a reply that was not Kritai's. */
  readonly code: ServerCode | ClientCode | (string & {});
  readonly detail: string;
  /** null without a reply. */
  readonly status: number | null;
  readonly request_id: string | null;
  /** Whether the same request may succeed later: the client has tried so long as it was let. */
  readonly retryable: boolean;
  readonly errors: readonly FieldFault[];
  /** From when on to ask again, ms; null where the server did not say. */
  readonly retryAfterMs: number | null;

  constructor({ code, detail, status, request_id, retryable, errors, retryAfterMs }: Failure) {
    const named = (errors ?? []).map(({ path, message }) => `\n  ${path}: ${message}`).join("");
    super(`${code}: ${detail}${request_id ? ` (request ${request_id})` : ""}${named}`);
    this.code = code;
    this.detail = detail;
    this.status = status ?? null;
    this.request_id = request_id ?? null;
    this.retryable = retryable ?? false;
    this.errors = errors ?? [];
    this.retryAfterMs = retryAfterMs ?? null;
  }
}

/** Replies after which the same request is sent again, where their document does not say. */
const RETRIED = [408, 429, 502, 503, 504];

export function badReply(detail: string, request_id: string | null): KritaiError {
  return new KritaiError({ code: "bad_reply", detail, status: 200, request_id });
}

/** The error of a reply that is not 2xx. A body other than a problem document is not quoted. */
export function errorOfReply(response: Response, body: string): KritaiError {
  const { status, headers } = response;
  const [asked, retryAfterMs] = [headers.get("x-request-id"), waitOf(headers.get("retry-after"))];
  const document = documentOf(body);
  if (document === null) {
    const detail = `the reply is no problem document${status === 404 ? ": is url the address of Kritai itself?" : ""}`;
    const retryable = RETRIED.includes(status) || status >= 500;
    return new KritaiError({ code: `http_${status}`, detail, status, request_id: asked, retryable, retryAfterMs });
  }
  const { code, detail, message, title, request_id, retryable, errors } = document;
  return new KritaiError({
    ...{ code: String(code), status, retryAfterMs },
    detail: String([detail, message, title].find((text) => typeof text === "string") ?? ""),
    request_id: typeof request_id === "string" ? request_id : asked,
    retryable: typeof retryable === "boolean" ? retryable : RETRIED.includes(status),
    errors: Array.isArray(errors) ? (errors as FieldFault[]) : [],
  });
}

function documentOf(body: string): Record<string, unknown> | null {
  try {
    const document: unknown = JSON.parse(body);
    const hasCode = typeof document === "object" && document !== null && "code" in document;
    return hasCode && typeof document.code === "string" ? (document as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** `Retry-After`, seconds or a date, as ms from now; null where it is neither. */
function waitOf(value: string | null): number | null {
  if (value === null) return null;
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
