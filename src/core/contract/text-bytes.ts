// Limits a rollout's text by its length in UTF-8, and truncates longer texts. Pure functions without schemas.
import { LIMITS } from "../faults/limits.ts";

const encoder = new TextEncoder();

/** Whether the UTF-8 length is at most `limit`. Does not encode strings that are certainly short enough. */
export function fitsBytes(text: string, limit: number): boolean {
  return text.length * 3 <= limit || (text.length <= limit && encoder.encode(text).length <= limit);
}

/**
 * Whether a rollout's text exceeds its limit. Such a rollout is malformed, but the other rollouts of the
 * group are still judged.
 */
export const isTooLong = (text: string, limit: number = LIMITS.rollout_text_bytes): boolean => !fitsBytes(text, limit);

/**
 * Truncates the text just after the first character that exceeds the limit, so that later checks still find
 * it too long.
 */
export function withinReach(text: string, limit: number = LIMITS.rollout_text_bytes): string {
  if (!isTooLong(text, limit)) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(limit));
  const next = text.codePointAt(read) ?? 0;
  return text.slice(0, read + String.fromCodePoint(next).length);
}
