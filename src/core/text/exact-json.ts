// JSON with lossless numbers: numbers that a double may not represent exactly as written are parsed as marked
// strings, and serialized as numbers again.

/** Prefix that marks the digits of a number. A document that contains this character is parsed normally. */
const MARK = "\ue000";
const NUMBERS = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/gs;

/**
 * Parses JSON. Numbers with many digits become marked strings.
 * @throws SyntaxError for invalid JSON
 */
export function parseExactJson(text: string): unknown {
  if (text.includes(MARK) || /\\ue000/i.test(text)) return JSON.parse(text);
  JSON.parse(text);
  return JSON.parse(
    text.replace(NUMBERS, (token) =>
      token[0] === '"' || (token.length < 16 && !/[.eE]/.test(token)) ? token : `"${MARK}${token}"`,
    ),
  );
}

/** Serializes a value from `parseExactJson`, with its numbers as originally written. */
export const writeExactJson = (value: unknown): string =>
  JSON.stringify(value).replace(/"\ue000([^"]*)"/g, (_, digits: string) => digits);

/** Returns the digits of a marked number as written, and any other value unchanged. */
export const writtenNumber = (value: unknown): unknown =>
  typeof value === "string" && value.startsWith(MARK) ? value.slice(1) : value;
