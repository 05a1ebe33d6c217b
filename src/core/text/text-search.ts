// Owns whether a text holds another, in time linear in both.

/** Below so many steps the runtime's own search is quickest, whatever the texts. */
const STEPS_FEW = 65_536;

/**
 * As `text.includes(part)`, which may take the product of both lengths: a^n in a^m b. Knuth, Morris
 * and Pratt 1977.
 */
export function holds(text: string, part: string): boolean {
  if (part.length * text.length <= STEPS_FEW || part.length > text.length) return text.includes(part);
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] as number;
    if (part.charCodeAt(matched) === unit) matched++;
    if (matched === part.length) return true;
  }
  return false;
}

/** For each beginning of a text the length of its longest proper beginning that is also its end. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  for (let at = 1, length = 0; at < part.length; at++) {
    while (length > 0 && part.charCodeAt(length) !== part.charCodeAt(at)) length = borders[length - 1] as number;
    if (part.charCodeAt(length) === part.charCodeAt(at)) length++;
    borders[at] = length;
  }
  return borders;
}
