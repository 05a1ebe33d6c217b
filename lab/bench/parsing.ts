// The parsing figures of the benchmark: verdict.ts measures, this repeats it and holds it against the goals.
import { type Figure, figure, type Goal } from "./figures.ts";
import { benchVerdict } from "./verdict.ts";

const SHORT_TEXTS_LEAST = 150_000;
const TRACES_MB_LEAST = 100;

function goalOf(unit: string): Goal {
  if (unit === "texts/s") return { min: SHORT_TEXTS_LEAST };
  return unit === "MB/s" ? { min: TRACES_MB_LEAST } : null;
}

/**
 * Verdict parsing and verdict rewards on one core of Node; one round more is run first and thrown
 * away.
 */
export async function benchParsing(rounds: number): Promise<Figure[]> {
  const values = new Map<string, { unit: string; values: number[] }>();
  for (let round = 0; round <= rounds; round++) {
    for (const { name, unit, value } of benchVerdict()) {
      const entry = values.get(name) ?? { unit, values: [] };
      if (round > 0) entry.values.push(value);
      values.set(name, entry);
    }
  }
  return [...values].map(([name, entry]) => figure(name, entry.unit, goalOf(entry.unit), entry.values));
}
