// Decides who wrote a pool's candidates, with which model and temperature. Runs nothing.
import type { PoolCandidate } from "../format/pool-format.ts";
import type { SetManifest } from "../format/set-format.ts";

/** Whether a candidate records how it was drawn. */
export const isSampled = ({ model, temperature }: PoolCandidate): boolean =>
  model !== undefined || temperature !== undefined;

/** With which models and temperatures candidates were drawn, and how many, as the manifest tells it. */
export function samplersOf(candidates: readonly PoolCandidate[]): NonNullable<SetManifest["samplers"]> {
  const keyOf = ({ generator, model, temperature }: PoolCandidate): string =>
    JSON.stringify([generator, model ?? null, temperature ?? null]);
  return [...Map.groupBy(candidates, keyOf)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, group]) => {
      const [generator, model, temperature] = JSON.parse(key) as [string, string | null, number | null];
      return { generator, model, temperature, candidates: group.length };
    });
}
