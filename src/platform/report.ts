// Writes log lines to standard error, unless the caller passes another sink.

export const printLine = (line: Record<string, unknown>): void => console.error(JSON.stringify(line));
