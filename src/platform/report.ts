// Writes log lines: to standard error, unless the caller chooses another place.

export const printLine = (line: Record<string, unknown>): void => console.error(JSON.stringify(line));
