// Finds \boxed{..} with balanced braces.
import { isPythonSpace } from "../../text/python-text.ts";

/** The content of a box is text[start..end); the closing brace is at `end`. */
export interface Box {
  start: number;
  end: number;
}

/**
 * Finds the next balanced `\boxed{..}` at or after `from`; white space before the brace is allowed. Returns
 * null if there is none or if the next box is never closed. What follows an unclosed box cannot be trusted,
 * and stopping there keeps the whole scan linear.
 */
export function nextBox(text: string, from: number): Box | null {
  for (let at = text.indexOf("\\boxed", from); at >= 0; at = text.indexOf("\\boxed", at)) {
    at += "\\boxed".length;
    while (isPythonSpace(text.charCodeAt(at))) at++;
    if (text.charCodeAt(at) !== 0x7b) continue;
    let depth = 1;
    for (let i = at + 1; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit === 0x7b) depth++;
      else if (unit === 0x7d && --depth === 0) return { start: at + 1, end: i };
    }
    return null;
  }
  return null;
}
