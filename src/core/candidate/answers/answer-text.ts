// Owns the plain form of a final answer: what TeX, Markdown and typography only decorate is taken
// off. Knows no number.
import { strip } from "../../math/python-text.ts";

/** Longer texts are no final answer that rules could decide; the bound keeps NFKC off long runs. */
export const ANSWER_CHARS_MAX = 1024;
const LAYERS_MAX = 8;

const MACRO = /^\\(?:boxed|fbox|text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|it|sf|tt)|mbox|operatorname)\s*(?=\{)/;
const PAIRS: readonly (readonly [string, string])[] = [
  ["$$", "$$"],
  ["$", "$"],
  ["\\(", "\\)"],
  ["\\[", "\\]"],
];

/** What stands between the braces when the first is closed by the last, else null. */
function braced(text: string): string | null {
  if (!text.startsWith("{") || !text.endsWith("}") || text.endsWith("\\}")) return null;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at === text.length - 1 ? text.slice(1, -1) : null;
  }
  return null;
}

function peeled(text: string): string {
  const macro = MACRO.exec(text);
  const inner = braced(macro === null ? text : text.slice(macro[0].length));
  if (inner !== null) return inner;
  for (const [open, close] of PAIRS) {
    const body = text.slice(open.length, text.length - close.length);
    if (
      text.length > open.length + close.length &&
      text.startsWith(open) &&
      text.endsWith(close) &&
      !body.includes("$")
    ) {
      return body;
    }
  }
  return text.endsWith(".") ? text.slice(0, -1) : text;
}

/**
 * NFKC, a hyphen for the minus sign; `*`, backquotes, spacing commands, `\left` and `\right` gone;
 * then layers of dollars, `\boxed`, `\text`, braces and a final dot taken off. null for a text too
 * long to be a final answer.
 */
export function plainAnswer(given: string): string | null {
  if (given.length > ANSWER_CHARS_MAX) return null;
  let text = given
    .normalize("NFKC")
    .replaceAll("\u2212", "-")
    .replace(/\\(?:left|right)(?![a-z])/gi, "")
    .replace(/\\(?:[,;:! ]|q?quad(?![a-z]))/g, " ")
    .replace(/\\[dtc]frac(?![a-z])/g, "\\frac")
    .replace(/(\d)\{,\}(?=\d)/g, "$1,")
    .replace(/\*{2}|`/g, " ");
  for (let layer = 0; layer < LAYERS_MAX; layer++) {
    const inner = peeled(strip(text));
    if (inner === text) break;
    text = inner;
  }
  return strip(text);
}
