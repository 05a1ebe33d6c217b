// How Python writes its string literals: prefixes, triple quotes, f-string fields. Must not know statements.

export interface PythonString {
  /** Length of prefix and opening quotes. */
  open: number;
  quote: string;
  raw: boolean;
  bytes: boolean;
  /** f- and t-strings: braces hold expressions, which run. */
  formatted: boolean;
}

interface PythonStringStop {
  /**
   * Behind the closing quotes, behind the `{` of a field, behind the `}` that ends a format part;
   * or where the line broke off.
   */
  position: number;
  kind: "end" | "field" | "field_end" | "broken";
}

const OPENING = /([A-Za-z]{0,2})("""|'''|"|')/y;
const PREFIXES = new Set(["", "r", "u", "b", "br", "rb", "f", "fr", "rf", "t", "tr", "rt"]);
const NAMED_CHARACTER = /\\N\{[^}\n"']{0,100}\}/y;

/** The string literal that opens at `at`, if one does. `at` is never inside a word. */
export function pythonStringAt(source: string, at: number): PythonString | null {
  OPENING.lastIndex = at;
  const found = OPENING.exec(source);
  const prefix = found?.[1]?.toLowerCase() ?? "";
  if (!found || !PREFIXES.has(prefix)) return null;
  return {
    open: found[0].length,
    quote: found[2] as string,
    raw: prefix.includes("r"),
    bytes: prefix.includes("b"),
    formatted: prefix.includes("f") || prefix.includes("t"),
  };
}

/**
 * Where the backslash at `at` leads. In an f-string it never hides a brace, except that of
 * `\N{NAME}`.
 */
function afterBackslash(source: string, at: number, string: PythonString): number {
  if (string.formatted) {
    NAMED_CHARACTER.lastIndex = at;
    const name = string.raw ? null : NAMED_CHARACTER.exec(source);
    if (name) return at + name[0].length;
    if (source[at + 1] === "{" || source[at + 1] === "}") return at + 1;
  }
  return at + (source.startsWith("\r\n", at + 1) ? 3 : 2);
}

/**
 * Walks a string's text from `from` to its end or to the next replacement field.
 * @param inFormat true in the format part of a field (behind its `:`), where `}` ends the field and
 *   `{{` has no special meaning
 */
export function pythonStringStop(
  source: string,
  from: number,
  string: PythonString,
  inFormat: boolean,
): PythonStringStop {
  const { quote, formatted } = string;
  let at = from;
  while (at < source.length) {
    const c = source[at];
    if (c === "\\") at = afterBackslash(source, at, string);
    else if (c === quote[0] && source.startsWith(quote, at)) return { position: at + quote.length, kind: "end" };
    else if (formatted && c === "{") {
      if (inFormat || source[at + 1] !== "{") return { position: at + 1, kind: "field" };
      at += 2;
    } else if (inFormat && c === "}") return { position: at + 1, kind: "field_end" };
    else if ((c === "\n" || c === "\r") && quote.length === 1) return { position: at, kind: "broken" };
    else at++;
  }
  return { position: source.length, kind: "broken" };
}

const HEX = "[0-9a-fA-F]";
const BAD_ESCAPE = new RegExp(`\\\\(?:x(?!${HEX}{2})|u(?!${HEX}{4})|U(?!00(?:0${HEX}|10)${HEX}{4})|N)`);
const BAD_BYTE_ESCAPE = new RegExp(`\\\\x(?!${HEX}{2})`);
const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * Whether the literal surely compiles, judged by its escapes; `\N{..}` names are not looked up, so
 * they count as unsure.
 */
export function surelyCompiles(literal: string, string: PythonString): boolean {
  if (string.bytes && BEYOND_ASCII.test(literal)) return false;
  if (string.raw) return true;
  const escapes = literal.replaceAll("\\\\", "");
  return !(string.bytes ? BAD_BYTE_ESCAPE : BAD_ESCAPE).test(escapes);
}
