// Validates the lines of a verify reply by hand, because zod takes about 5 µs per event where code generation
// is not allowed. Equivalent to VerifyEventSchema, which a property test checks.
import { ENGINE_REASON_CHARS } from "../faults/engine-reason.ts";
import { ITEM_ERRORS } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import type { VerifyEvent } from "./verify-protocol.ts";

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
/** Rejects Infinity, which JSON.parse returns for 1e999. */
const isNumber = (value: unknown): boolean => Number.isFinite(value);
const isProbabilities = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).every(([letter, p]) => letter === "__proto__" || isNumber(p));

const isId = (value: unknown): boolean => isText(value) && value.length >= 1 && value.length <= LIMITS.id_chars;
const isAbout = ({ group_id, comparison }: Fields): boolean => isId(group_id) && isCount(comparison);

const isThinking = (value: unknown): boolean => value === "none" || value === "closed" || value === "unclosed";

const USAGE = ["generations", "saved", "failed", "prompt_tokens", "completion_tokens", "in_flight_max"] as const;

const CHECKS: Readonly<Record<VerifyEvent["type"], (event: Fields) => boolean>> = {
  accepted: (e) => isText(e.request_id) && isCount(e.generations) && isCount(e.queue_depth),
  verdict: (e) =>
    isAbout(e) &&
    isCount(e.sample) &&
    isText(e.answer) &&
    isThinking(e.thinking) &&
    (e.finish_reason === null || isText(e.finish_reason)) &&
    isCount(e.prompt_tokens) &&
    isCount(e.completion_tokens) &&
    isNumber(e.queue_ms) &&
    (e.first_token_ms === null || isNumber(e.first_token_ms)) &&
    isNumber(e.total_ms) &&
    (e.letters == null || isProbabilities(e.letters)) &&
    (e.coverage == null || isNumber(e.coverage)) &&
    (e.written == null || isText(e.written)) &&
    (e.model == null || isText(e.model)),
  saved: (e) =>
    isAbout(e) &&
    Array.isArray(e.samples) &&
    e.samples.length > 0 &&
    e.samples.every(isCount) &&
    isCount(e.completion_tokens),
  error: (e) =>
    isAbout(e) &&
    isCount(e.sample) &&
    isText(e.code) &&
    Object.hasOwn(ITEM_ERRORS, e.code) &&
    typeof e.retryable === "boolean" &&
    (e.reason == null || (isText(e.reason) && e.reason.length <= ENGINE_REASON_CHARS)) &&
    (e.retry_after_ms === undefined || isCount(e.retry_after_ms)),
  heartbeat: (e) => isCount(e.open),
  done: ({ usage }) => isObject(usage) && USAGE.every((name) => isCount(usage[name])),
};

/**
 * Parses a line into an event. Returns `unknown` for an event type that this version does not know, which the
 * caller must skip, and `malformed` for anything else that is not an event.
 */
export function readVerifyEvent(line: string): VerifyEvent | "unknown" | "malformed" {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return "malformed";
  }
  if (!isObject(event) || !isText(event.type)) return "malformed";
  if (!Object.hasOwn(CHECKS, event.type)) return "unknown";
  const known = event as unknown as VerifyEvent;
  return CHECKS[known.type](event) ? known : "malformed";
}
