// Owns where log lines go.

/** Standard error, unless told otherwise. */
export const printLine = (line: Record<string, unknown>): void => console.error(JSON.stringify(line));
