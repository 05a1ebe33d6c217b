// Cuts a list into pieces of a bounded size.

/**
 * Cuts `rows` into runs whose sizes add up to at most `size_max`; a row larger than that stands
 * alone.
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
