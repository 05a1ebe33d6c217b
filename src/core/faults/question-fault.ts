// Why an engine refused a question: the words by which servers say "too long" and "filtered". Must not know
// HTTP or who asked.
import type { ItemErrorCode } from "./errors.ts";

/**
 * Verdicts on what was asked rather than failures of who was asked: they may be some candidate's
 * doing (attribution.ts).
 */
export const BLAMES_CONTENT: ReadonlySet<ItemErrorCode | null> = new Set([
  ...(["context_exceeded", "content_filtered", "judge_read_less"] as const),
]);

/** Why a refusal begins is said early; more would only be an echo of the question. */
export const REASON_CHARS = 4_096;

/**
 * OpenAI, vLLM, SGLang, llama.cpp, TGI, TEI, TensorRT-LLM, Mistral, xAI, Groq, and proxies that
 * speak like them.
 */
const TOO_LONG =
  /(context|model|input|prompt)['_ a-z]{0,12}[ _](length|window|size)|maximum allowed (input )?length|prompt is too long|reduce the length|less than \d+ tokens|max_new_tokens/i;

/** The budget for the answer alone is beyond the engine: the spec's doing, and no candidate's. */
const BUDGET = /max_(?:completion_|new_)?tokens\W{0,3}\d+\W{0,3}(?:cannot be|is) (?:greater|larger|more)/i;

/** OpenAI, Azure, Alibaba, DeepSeek, OpenRouter. */
const FILTERED =
  /content[ _-]?(filter|policy|management)|data_?inspection|inappropriate content|content exists risk|moderation/i;

/** Failures that pass: the same request, sent again, may be answered. */
export type PassingFault = "verifier_overloaded" | "verifier_unavailable";

export const isPassing = (code: ItemErrorCode | null): code is PassingFault =>
  code === "verifier_overloaded" || code === "verifier_unavailable";

/**
 * Statuses that say that the deployment's key, account, model or address is wrong. No text that is
 * asked about changes them.
 */
const OPERATOR = new Set([401, 402, 403, 404, 405, 407, 410]);

export const isOperatorStatus = (status: number): boolean => OPERATOR.has(status);

/**
 * Sentences by which gateways that answer 400 name their upstream's failure: Cloudflare's AI Gateway
 * and Workers AI, LiteLLM, Portkey, OpenRouter, Envoy, nginx.
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

/** Codes of Cloudflare's gateways: no answer of the provider, no capacity, timed out. */
const GATEWAY_CODES: Readonly<Record<string, PassingFault>> = {
  2005: "verifier_unavailable",
  3007: "verifier_unavailable",
  3008: "verifier_unavailable",
  3040: "verifier_overloaded",
};

/** Types and codes by which servers say "not now" and "my own fault". */
const BUSY = /rate_?limit|overloaded|too_?many_?requests/i;
const BROKEN = /server_?error|internal|unavailable|timeout|(?:^|\s)api_?(?:connection_?)?error/i;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The first object that describes a fault: OpenAI's `error`, Cloudflare's lists, or the body itself. */
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

/** Chars of a sentence that are searched. */
const SENTENCE_CHARS = 400;

/** A fault's sentence; what OpenRouter passes on of its provider's says more than its own. */
function sentenceOf({ message, detail, metadata }: Record<string, unknown>): string {
  const raw = isObject(metadata) ? worded(metadata.raw) : "";
  return (raw === "" ? worded(message ?? detail) : raw).slice(0, SENTENCE_CHARS);
}

/**
 * The passing failure that a 4xx stands for where a gateway names its upstream's; null where it does
 * not. A sentence whose words were sent in the request is an echo and says nothing.
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
 * The code of a 4xx whose status alone does not say that it passes.
 * @param body the reply's body, or what of it is there
 * @param sent the request's body, to recognise echoes
 */
export function questionFault(status: number, body: string, sent = ""): ItemErrorCode {
  const reason = body.slice(0, REASON_CHARS);
  if (FILTERED.test(reason)) return "content_filtered";
  if (OPERATOR.has(status)) return "verifier_misconfigured";
  if (BUDGET.test(reason)) return "verifier_rejected";
  if (status === 413 || TOO_LONG.test(reason)) return "context_exceeded";
  // TGI and TEI: a dependency, the model's own server, failed.
  return status === 424 ? "verifier_unavailable" : (upstreamFault(reason, sent) ?? "verifier_rejected");
}
