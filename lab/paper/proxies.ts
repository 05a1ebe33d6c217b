// The paper's table of proxies for Best-of-N (project page, 2026): which counts its rounded figures can come
// from. Pure.

/** Verifiers of one size: 21 in three sizes. */
export const VERIFIERS = 7;
const PAIRS = (VERIFIERS * (VERIFIERS - 1)) / 2;
/** Comparisons that the paired McNemar test distinguishes, at 0.05 and 0.01. */
export const TOLD = { "0.05": 37, "0.01": 25 } as const;

export interface Proxy {
  name: string;
  /** tau-b with the ranking by Best-of-N, at 1.5B, 7B and 14B, as printed. */
  tau: readonly [number, number, number];
  /** Per cent of comparisons identified, as printed. */
  identified: readonly [number, number];
}

export const PROXIES: readonly Proxy[] = [
  { name: "Aletheia ListAcc", tau: [0.52, 0.9, 0.88], identified: [94.6, 100] },
  { name: "Aletheia tau-b", tau: [0.81, 0.62, 0.98], identified: [100, 100] },
  { name: "CRB, overall", tau: [0.14, 0.43, 0.59], identified: [78.4, 80] },
  { name: "CRB, functional correctness", tau: [-0.14, 0.24, 0.98], identified: [70.3, 68] },
  { name: "RM-Bench, overall", tau: [0.43, 0.71, 0.98], identified: [91.9, 96] },
  { name: "RM-Bench, code", tau: [0.39, 0.62, 0.88], identified: [89.2, 96] },
];

/** Printed with two digits. */
const ROUNDING = 0.005 + 1e-9;

/**
 * The surplus of concordant pairs and the ties (0 or 1, in one of the two rankings) that tau-b of
 * seven verifiers rounds to the printed value with, fewest ties first; null: no such table exists.
 */
export function tauReading(printed: number): { surplus: number; ties: 0 | 1 } | null {
  for (const ties of [0, 1] as const) {
    const denominator = Math.sqrt(PAIRS * (PAIRS - ties));
    const surplus = Math.round(printed * denominator);
    // The pairs that are not tied are concordant or not: their surplus has their parity.
    if ((surplus - (PAIRS - ties)) % 2 !== 0) continue;
    if (Math.abs(surplus / denominator - printed) <= ROUNDING) return { surplus, ties };
  }
  return null;
}

/** The count of n that rounds to the printed per cent; null: none does. */
export function countReading(printed: number, n: number): number | null {
  const count = Math.round((printed / 100) * n);
  return Math.abs((100 * count) / n - printed) <= 0.05 + 1e-9 ? count : null;
}
