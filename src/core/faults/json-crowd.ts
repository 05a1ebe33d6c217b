// Counts the fields of a JSON text before it is parsed. Says nothing of texts that are not JSON.
import { LIMITS } from "./limits.ts";

export type CrowdLimit = "object_keys_max" | "body_keys_max";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Whether there are more than `most` colons anywhere: an object never has more fields than colons. */
function hasColons(text: string, max: number): boolean {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    if (++count > max) return true;
  }
  return false;
}

/** The place behind the string that begins at `start`; the text's end for one that does not end. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/**
 * Which limit the fields of a JSON text break: those of one object object_keys_max, those of all
 * body_keys_max, a name that is repeated counted each time; else null. A text of few colons, as
 * most are, is not looked at any closer.
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
