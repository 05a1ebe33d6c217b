// Reads JSON without losing how a number was written: 3.0 is not 3 in Python, and a double holds no long
// integer.

/**
 * A number that keeps its text when it is written again (`JSON.rawJSON`); the platform's own type
 * has no name yet.
 */
export interface RawNumber {
  readonly rawJSON: string;
}

interface ExactJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}

const exact = JSON as unknown as ExactJson;

export const isRawNumber = (value: unknown): value is RawNumber => exact.isRawJSON(value);

/**
 * `JSON.parse`, but a number whose text a double would not give back (`3.0`, `1e2`, 20 digits) is a
 * RawNumber. Throws SyntaxError.
 */
export function parseExactJson(text: string): unknown {
  return exact.parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== undefined && source !== String(value) ? exact.rawJSON(source) : value,
  );
}
