// The walk through string literals, with or without interpolation holes, for the brace languages. Must not
// know comments.

/** How one kind of string literal is written. */
export interface Literal {
  /** Length of the opening delimiter, prefix included. */
  open: number;
  close: string;
  /** `backslash`: the next character is data; `doubled`: the closing quote twice is data. */
  escape: "backslash" | "doubled" | "none";
  multiline: boolean;
  /** The opening of an interpolated expression, or "" without one. */
  hole: "" | "${" | "{";
}

export const quoted = (close: string, more: Partial<Literal> = {}): Literal => ({
  open: 1,
  close,
  escape: "backslash",
  multiline: false,
  hole: "",
  ...more,
});

interface LiteralStop {
  /** Just behind the closing delimiter, or just behind the opener of a hole. */
  position: number;
  inHole: boolean;
}

const JOINED_LINES = /\\[ \t]*\r?\n/y;

/**
 * Behind the backslash at `at`, the blanks that follow it and the line end; -1 when it joins no
 * lines.
 */
export function afterJoinedLines(source: string, at: number): number {
  JOINED_LINES.lastIndex = at;
  return JOINED_LINES.test(source) ? JOINED_LINES.lastIndex : -1;
}

/**
 * Where the escape at `at` (a backslash) ends. Compilers of C join lines over blanks behind the
 * backslash, too.
 */
function afterEscape(source: string, at: number): number {
  const joined = afterJoinedLines(source, at);
  return joined < 0 ? at + 2 : joined;
}

function afterClose(source: string, at: number, close: string): number {
  let end = at + close.length;
  // In a run of more than three quotes the last three close the literal; the others are its text.
  while (close === '"""' && source[end] === '"') end++;
  return end;
}

/**
 * Walks a literal's text from `position` to its close or to the next hole. An unclosed one-line
 * literal ends before the line end, an unclosed multi-line one at the end of the source.
 */
export function literalStop(source: string, position: number, literal: Literal): LiteralStop {
  const { close, hole, multiline } = literal;
  let at = position;
  while (at < source.length) {
    const c = source[at];
    if (c === "\\" && literal.escape === "backslash") at = afterEscape(source, at);
    else if (c === close[0] && source.startsWith(close, at)) {
      if (literal.escape !== "doubled" || source[at + 1] !== close)
        return { position: afterClose(source, at, close), inHole: false };
      at += 2;
    } else if (hole === "{" && source.startsWith("{{", at)) at += 2;
    else if (hole !== "" && c === hole[0] && source.startsWith(hole, at)) {
      return { position: at + hole.length, inHole: true };
    } else if (!multiline && (c === "\n" || c === "\r")) return { position: at, inHole: false };
    else at++;
  }
  return { position: source.length, inHole: false };
}

/**
 * Letters, digits, `_` and everything beyond ASCII but blanks: what a name or a number may be
 * made of.
 */
export function isWordCode(code: number): boolean {
  if (code > 127) return code !== 0xa0 && code !== 0xfeff && code !== 0x2028 && code !== 0x2029;
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
}

/** The end of the word that starts at `start`. */
export function wordEnd(source: string, start: number): number {
  let end = start;
  while (end < source.length && isWordCode(source.charCodeAt(end))) end++;
  return end;
}
