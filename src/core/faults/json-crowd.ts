// Limits the number of fields in a JSON string before it is parsed. Does not validate the JSON.
import { LIMITS } from "./limits.ts";

export type CrowdLimit = "object_keys_max" | "body_keys_max";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Whether the string has more than `max` colons. The number of colons is an upper bound for the number of
 * fields.
 */
function hasColons(text: string, max: number): boolean {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    if (++count > max) return true;
  }
  return false;
}

/**
 * Index just after the JSON string that begins at `start`, or the input's length if that string is not
 * closed.
 */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/**
 * Returns the limit that a JSON string exceeds: object_keys_max for a single object, body_keys_max for all
 * objects together, or null. Repeated names count each time. Most inputs contain few colons and are not
 * scanned further.
 */
export function crowding(text: string): CrowdLimit | null {
  if (!hasColons(text, LIMITS.object_keys_max)) return null;
  let all = 0;
  let inner = 0;
  const outer: number[] = [];
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      continue;
    }
    if (code === COLON) {
      if (++inner > LIMITS.object_keys_max) return "object_keys_max";
      if (++all > LIMITS.body_keys_max) return "body_keys_max";
    } else if (code === OPEN) {
      outer.push(inner);
      inner = 0;
    } else if (code === CLOSE) inner = outer.pop() ?? 0;
    at++;
  }
  return null;
}
