// A figure with its interval, and how it is written.
import type { Estimate } from "../../statistics/clusters.ts";

export type { Estimate };

/** `32.1 [29.0, 35.2]`, in per cent. */
export function percent({ mean, ci95 }: Pick<Estimate, "mean" | "ci95">): string | null {
  return shown(mean, ci95, (value) => (100 * value).toFixed(1));
}

/** `0.412 [0.380, 0.444]`. */
export function plain({ mean, ci95 }: Pick<Estimate, "mean" | "ci95">): string | null {
  return shown(mean, ci95, (value) => value.toFixed(3));
}

function shown(mean: number | null, ci95: Estimate["ci95"], format: (value: number) => string): string | null {
  if (mean === null) return null;
  if (ci95 === null) return format(mean);
  // No-break spaces keep an interval on one line of a narrow column.
  return `${format(mean)}\u00a0[${format(ci95[0])},\u00a0${format(ci95[1])}]`;
}
