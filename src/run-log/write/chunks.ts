// Splits a list into chunks of bounded size.

/**
 * Splits `rows` into consecutive chunks whose sizes sum to at most `size_max`; a larger row gets its own
 * chunk.
 */
export function chunks<T>(rows: readonly T[], size: (row: T) => number, size_max: number): T[][] {
  const out: T[][] = [];
  let room = 0;
  for (const row of rows) {
    const need = size(row);
    if (out.length === 0 || need > room) {
      out.push([]);
      room = size_max;
    }
    out.at(-1)?.push(row);
    room -= need;
  }
  return out;
}
