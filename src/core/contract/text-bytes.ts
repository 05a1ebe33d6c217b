// How long a text may be in bytes of UTF-8, and what is kept of a rollout beyond it. Pure; knows no schema.
import { LIMITS } from "../faults/limits.ts";

const encoder = new TextEncoder();

/** UTF-8 length at most `limit`, without encoding texts that are surely short enough. */
export function fitsBytes(text: string, limit: number): boolean {
  return text.length * 3 <= limit || (text.length <= limit && encoder.encode(text).length <= limit);
}

/** Whether a rollout's text is beyond its limit: it is malformed, and costs no other. */
export const isTooLong = (text: string, limit: number = LIMITS.rollout_text_bytes): boolean => !fitsBytes(text, limit);

/**
 * The text, or of one beyond its limit the head with the first character that does not
 * fit: still too long, so that who reads it later finds the same.
 */
export function withinReach(text: string, limit: number = LIMITS.rollout_text_bytes): string {
  if (!isTooLong(text, limit)) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(limit));
  const next = text.codePointAt(read) ?? 0;
  return text.slice(0, read + String.fromCodePoint(next).length);
}
