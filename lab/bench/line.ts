// The line through points: its slope with an interval, and how well they lie on it. Pure.
import { mean } from "../../src/core/math/stats.ts";

type Points = readonly (readonly [number, number])[];

/** Slope of a line through the points, with twice its standard error about it. */
export function slopeOf(points: Points): { slope: number; doubt: number } {
  const n = points.length;
  const [x, y] = [0, 1].map((at) => mean(points.map((point) => point[at] as number))) as [number, number];
  const spread = points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
  const slope = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0) / spread;
  const off = points.reduce((sum, [a, b]) => sum + (b - y - slope * (a - x)) ** 2, 0);
  return { slope, doubt: n > 2 ? 2 * Math.sqrt(off / (n - 2) / spread) : Number.POSITIVE_INFINITY };
}

/** How much of the points' spread is on their line; 1 is all. */
export function onLine(points: Points): number {
  const { slope } = slopeOf(points);
  const [x, y] = [0, 1].map((at) => mean(points.map((point) => point[at] as number))) as [number, number];
  const off = points.reduce((sum, [a, b]) => sum + (b - y - slope * (a - x)) ** 2, 0);
  return 1 - off / points.reduce((sum, [, b]) => sum + (b - y) ** 2, 0);
}
