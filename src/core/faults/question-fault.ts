// Classifies an engine's 4xx reply by its body: prompt too long, content filtered, or upstream failure.
// Independent of HTTP and of tenants.
import type { ItemErrorCode } from "./errors.ts";

/**
 * Error codes that concern the content of a question and not the verifier, so that a candidate may be the
 * cause (see attribution.ts).
 */
export const BLAMES_CONTENT: ReadonlySet<ItemErrorCode | null> = new Set([
  ...(["context_exceeded", "content_filtered", "judge_read_less"] as const),
]);

/**
 * Only the start of an error reply is searched, because the reason comes first and the rest may echo the
 * question.
 */
export const REASON_CHARS = 4_096;

/**
 * "Prompt too long" messages of OpenAI, vLLM, SGLang, llama.cpp, TGI, TEI, TensorRT-LLM, Mistral, xAI, Groq,
 * and compatible proxies.
 */
const TOO_LONG =
  /(context|model|input|prompt)['_ a-z]{0,12}[ _](length|window|size)|maximum allowed (input )?length|prompt is too long|reduce the length|less than \d+ tokens|max_new_tokens/i;

/** The engine's limit is exceeded by `max_tokens` alone, so the spec is the cause and not a candidate. */
const BUDGET = /max_(?:completion_|new_)?tokens\W{0,3}\d+\W{0,3}(?:cannot be|is) (?:greater|larger|more)/i;

/** Content-filter messages of OpenAI, Azure, Alibaba, DeepSeek, OpenRouter. */
const FILTERED =
  /content[ _-]?(filter|policy|management)|data_?inspection|inappropriate content|content exists risk|moderation/i;

/** Transient failures: retrying the same request may succeed. */
export type PassingFault = "verifier_overloaded" | "verifier_unavailable";

export const isPassing = (code: ItemErrorCode | null): code is PassingFault =>
  code === "verifier_overloaded" || code === "verifier_unavailable";

/**
 * Statuses that mean a wrong key, account, model or address in the deployment's configuration, regardless of
 * the question.
 */
const OPERATOR = new Set([401, 402, 403, 404, 405, 407, 410]);

export const isOperatorStatus = (status: number): boolean => OPERATOR.has(status);

/**
 * Error messages of gateways that answer 400 when their upstream fails: Cloudflare's AI Gateway and Workers
 * AI, LiteLLM, Portkey, OpenRouter, Envoy, nginx.
 */
const UPSTREAM = [
  "failed to get response from (?:the )?provider",
  "(?:upstream|backend|provider)(?: (?:connect|connection|request|response|returned|server|service))? (?:an? )?(?:error|failed|failure|timed? ?out|timeout|unavailable|unreachable)",
  "no healthy (?:upstream|deployment)",
  "(?:APIConnection|APITimeout|BadGateway|InternalServer|ServiceUnavailable)Error|litellm\\.Timeout",
  "fetch failed|socket hang up|connection (?:error|refused|reset|timed out)|ECONN(?:REFUSED|RESET)",
  "(?:service|server|model) (?:is )?(?:temporarily |currently )?unavailable|temporarily unavailable",
  "gateway time-?out|request timed out|try again later",
];
const UPSTREAM_FAILED = new RegExp(UPSTREAM.join("|"), "i");
const NO_CAPACITY =
  /capacity (?:temporarily )?exceeded|overloaded|rate.?limit|too many requests|no deployments available/i;

/** Error codes of Cloudflare's gateways for a provider without an answer, no capacity, and timeouts. */
const GATEWAY_CODES: Readonly<Record<string, PassingFault>> = {
  2005: "verifier_unavailable",
  3007: "verifier_unavailable",
  3008: "verifier_unavailable",
  3040: "verifier_overloaded",
};

/** Error types and codes that mean an overloaded server or a server failure. */
const BUSY = /rate_?limit|overloaded|too_?many_?requests/i;
const BROKEN = /server_?error|internal|unavailable|timeout|(?:^|\s)api_?(?:connection_?)?error/i;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/**
 * The first object that describes the error: OpenAI's `error`, an entry of Cloudflare's `errors` array, or
 * the body itself.
 */
function faultIn(body: string): Record<string, unknown> | null {
  try {
    const reply: unknown = JSON.parse(body);
    if (!isObject(reply)) return null;
    const { error, errors } = reply;
    for (const held of [error, errors].flat()) if (isObject(held)) return held;
    return typeof error === "string" ? { ...reply, message: error } : reply;
  } catch {
    return null;
  }
}

const worded = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? `${value}` : "");

/** Number of characters of an error message that are searched. */
const SENTENCE_CHARS = 400;

/**
 * The error's message. Prefers the provider's raw message, which OpenRouter includes, because it is more
 * specific.
 */
function sentenceOf({ message, detail, metadata }: Record<string, unknown>): string {
  const raw = isObject(metadata) ? worded(metadata.raw) : "";
  return (raw === "" ? worded(message ?? detail) : raw).slice(0, SENTENCE_CHARS);
}

/**
 * The transient failure if a gateway's 4xx reports that its upstream failed, else null. Ignores messages
 * whose words also occur in the request, because they may be an echo of it.
 */
function upstreamFault(body: string, sent: string): PassingFault | null {
  const fault = faultIn(body);
  const code = worded(fault?.code);
  if (Object.hasOwn(GATEWAY_CODES, code)) return GATEWAY_CODES[code] as PassingFault;
  if (/^(?:429|503|529)$/.test(code)) return "verifier_overloaded";
  if (/^5\d\d$/.test(code)) return "verifier_unavailable";
  const kind = `${worded(fault?.type)} ${code}`;
  if (BUSY.test(kind)) return "verifier_overloaded";
  if (BROKEN.test(kind)) return "verifier_unavailable";
  const sentence = fault === null ? body.slice(0, SENTENCE_CHARS) : sentenceOf(fault);
  const says = (pattern: RegExp): boolean => {
    const words = pattern.exec(sentence)?.[0];
    return words !== undefined && !sent.toLowerCase().includes(words.toLowerCase());
  };
  if (says(NO_CAPACITY)) return "verifier_overloaded";
  return says(UPSTREAM_FAILED) ? "verifier_unavailable" : null;
}

/**
 * Returns the error code for a 4xx whose status alone does not mean a transient failure.
 * @param body body of the reply, possibly truncated
 * @param sent body of the request, to recognise echoes
 */
export function questionFault(status: number, body: string, sent = ""): ItemErrorCode {
  const reason = body.slice(0, REASON_CHARS);
  if (FILTERED.test(reason)) return "content_filtered";
  if (OPERATOR.has(status)) return "verifier_misconfigured";
  if (BUDGET.test(reason)) return "verifier_rejected";
  if (status === 413 || TOO_LONG.test(reason)) return "context_exceeded";
  // TGI and TEI send 424 if the server that runs the model failed.
  return status === 424 ? "verifier_unavailable" : (upstreamFault(reason, sent) ?? "verifier_rejected");
}
