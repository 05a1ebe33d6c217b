// The reference solution of lantern-walk: two distance sweeps joined at each hedge.

const AROUND = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;

/** Steps from `from` over free squares; a hedge gets the distance at which it would be climbed, but is not passed. */
function distances(rows: readonly string[], from: string): number[][] {
  const found = rows.map((row) => [...row].map(() => Number.POSITIVE_INFINITY));
  const r0 = rows.findIndex((row) => row.includes(from));
  const c0 = rows[r0]?.indexOf(from) ?? 0;
  let wave = [[r0, c0]];
  (found[r0] as number[])[c0] = 0;
  for (let steps = 1; wave.length > 0; steps += 1) {
    const next: number[][] = [];
    for (const [r = 0, c = 0] of wave) {
      for (const [dr, dc] of AROUND) {
        const row = found[r + dr];
        if (row?.[c + dc] !== Number.POSITIVE_INFINITY) continue;
        row[c + dc] = steps;
        if (rows[r + dr]?.[c + dc] !== "#") next.push([r + dr, c + dc]);
      }
    }
    wave = next;
  }
  return found;
}

/** Input text to output text: the best of the walk without the ladder and, over all hedges h, d(S, h) + d(E, h). */
export function solve(input: string): string {
  const rows = input.trim().split("\n").slice(1);
  const fromStart = distances(rows, "S");
  const fromEnd = distances(rows, "E");
  let best = Number.POSITIVE_INFINITY;
  rows.forEach((row, r) => {
    [...row].forEach((square, c) => {
      if (square === "#" || square === "E") {
        best = Math.min(best, (fromStart[r]?.[c] ?? 0) + (fromEnd[r]?.[c] ?? 0));
      }
    });
  });
  return String(best === Number.POSITIVE_INFINITY ? -1 : best);
}
