// The step at which each of a run's specs came into use, from the times of its first request and of the steps.
import type { RunDetail, StepRow } from "./log.ts";

/** By hash: the step that began last before the spec's first request. A spec without such a step is left out. */
export function specStarts({ specs }: Pick<RunDetail, "specs">, rows: readonly StepRow[]): Map<string, number> {
  const begun = rows
    .flatMap(({ step, first_at }) => (step === null ? [] : [{ step, at: Date.parse(first_at) }]))
    .sort((a, b) => b.at - a.at);
  const starts = new Map<string, number>();
  for (const { spec_hash, first_at } of specs) {
    const start = begun.find(({ at }) => at <= Date.parse(first_at));
    if (start !== undefined) starts.set(spec_hash, start.step);
  }
  return starts;
}

/** Steps at which a spec came into use that was not there at the run's first. */
export function specChanges(starts: ReadonlyMap<string, number>): number[] {
  const [first = 0, ...later] = starts.values();
  return later.filter((step) => step > first);
}
