// Writes tables as CSV (RFC 4180, lines end in LF).

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A head and a line a row; null is an empty cell. */
export function csv(columns: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [columns, ...rows].map((row) => `${row.map((cell) => quoted(`${cell ?? ""}`)).join(",")}\n`).join("");
}
