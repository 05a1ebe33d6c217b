// A fast validity check for verdict items. Anything else is validated, and its errors explained, by zod.
import { LIMITS } from "../../core/faults/limits.ts";

const FIELDS = new Set(["prompt", "text", "candidates", "correct", "pass_rates", "length_tokens"]);

function isCount(value: unknown, min: number, max: number): boolean {
  return value === undefined || (Number.isInteger(value) && (value as number) >= min && (value as number) <= max);
}

function isRates(value: unknown): boolean {
  if (value === undefined) return true;
  if (!Array.isArray(value) || value.length < 2 || value.length > LIMITS.verdict_candidates_max) return false;
  for (const rate of value) {
    if (typeof rate !== "number" || !(rate >= 0 && rate <= 1)) return false;
  }
  return true;
}

/**
 * True only for items that VerdictItemSchema returns unchanged. Needed because a Worker may not compile code
 * at run time, so zod takes about 5 µs per item there, a third of the budget for 60,000 items per second;
 * this check takes a twentieth of that.
 */
export function isPlainVerdictItem(element: unknown): boolean {
  if (typeof element !== "object" || element === null || Array.isArray(element)) return false;
  const item = element as Record<string, unknown>;
  for (const field in item) {
    if (!FIELDS.has(field)) return false;
  }
  // A UTF-16 unit is at most 3 bytes of UTF-8, so the text is short enough without encoding it.
  if (typeof item.text !== "string" || item.text.length * 3 > LIMITS.verdict_text_bytes) return false;
  if (item.prompt !== undefined && (typeof item.prompt !== "string" || item.prompt.length * 3 > LIMITS.prompt_bytes))
    return false;
  return (
    isCount(item.candidates, 2, LIMITS.verdict_candidates_max) &&
    isCount(item.correct, 0, LIMITS.verdict_candidates_max - 1) &&
    isCount(item.length_tokens, 0, LIMITS.overlong_tokens_max) &&
    isRates(item.pass_rates)
  );
}
