// The cutting of comment spans out of a source text, tidily. Must not know any language's syntax.

/**
 * A span of the source to leave out. `replacement` takes its place when something must (a
 * Python block's only statement).
 */
export interface Cut {
  start: number;
  /** Exclusive. */
  end: number;
  replacement: "" | '""';
}

const LINE_END = /[\n\r\u2028\u2029]/;

const isBlank = (c: string | undefined): boolean => c === " " || c === "\t";
const isLineEnd = (c: string | undefined): boolean => c !== undefined && LINE_END.test(c);

/** Is the line starting at `lineStart` the continuation of one that ends in a backslash? */
function isContinuation(source: string, lineStart: number): boolean {
  if (lineStart === 0) return false;
  const before = source[lineStart - 1] === "\n" && source[lineStart - 2] === "\r" ? lineStart - 3 : lineStart - 2;
  return source[before] === "\\";
}

/**
 * Cuts with nothing but blanks between them are one, so that a line of several comments is seen as
 * empty.
 */
function joinNeighbours(source: string, cuts: readonly Cut[]): Cut[] {
  const joined: Cut[] = [];
  for (const cut of cuts) {
    const last = joined.at(-1);
    if (last && last.replacement === "" && cut.replacement === "" && onlyBlanks(source, last.end, cut.start)) {
      last.end = cut.end;
    } else {
      joined.push({ ...cut });
    }
  }
  return joined;
}

function onlyBlanks(source: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isBlank(source[at])) return false;
  return true;
}

/**
 * Decides how much around a cut goes with it: the whole line, the blanks before it, or nothing but
 * the span.
 */
function widen(source: string, cut: Cut, newlineSeparates: boolean): { start: number; end: number; text: string } {
  if (cut.replacement !== "") return { start: cut.start, end: cut.end, text: cut.replacement };
  let { start, end } = cut;
  while (isBlank(source[start - 1])) start--;
  while (isBlank(source[end])) end++;
  const opensLine = start === 0 || isLineEnd(source[start - 1]);
  const closesLine = end === source.length || isLineEnd(source[end]);
  if (opensLine && closesLine) {
    if (isContinuation(source, start)) return { start, end, text: "" };
    return { start, end: end + (source.startsWith("\r\n", end) ? 2 : 1), text: "" };
  }
  if (closesLine) return { start, end, text: "" };
  if (opensLine) return { start: cut.start, end, text: "" };
  const hidesLineEnd = newlineSeparates && LINE_END.test(source.slice(cut.start, cut.end));
  return { start, end, text: hidesLineEnd ? "\n" : " " };
}

/**
 * The source without the given spans. A line that held nothing else goes as a whole; between two
 * tokens one blank stays.
 * @param cuts in ascending order, not overlapping
 * @param newlineSeparates true where a line end inside a comment counts as one (JavaScript, Go,
 *   Kotlin)
 */
export function applyCuts(source: string, cuts: readonly Cut[], newlineSeparates: boolean): string {
  const joined = joinNeighbours(source, cuts);
  let result = "";
  let cursor = 0;
  for (const [i, cut] of joined.entries()) {
    const span = widen(source, cut, newlineSeparates);
    const end = Math.min(Math.max(cursor, span.end), source.length);
    result += source.slice(cursor, Math.max(cursor, span.start)) + span.text;
    // A `#!` that comes to stand first would turn into a comment: one blank keeps the broken
    // program broken.
    if (result === "" && source.startsWith("#!", end) && joined[i + 1]?.start !== end) result = " ";
    cursor = end;
  }
  return result + source.slice(cursor);
}
