// Defines what a log has of an entry for scoring it again, as the fake run log tells it.

import type { Valued } from "../../src/core/asking/signal-value.ts";
import type { LoggedGroup } from "../../src/core/reward/replay/logged-group.ts";
import type { GroupEntry, LogEntry } from "../../src/ports/log-entry.ts";
import type { SpecUse, StepBounds } from "../../src/ports/run-log.ts";

export const isWithin = ({ kind, step, groups }: LogEntry, { from, to }: StepBounds): boolean => {
  if (kind !== "rewards" || groups.length === 0) return false;
  return step === null ? from === null && to === null : step >= (from ?? 0) && step <= (to ?? step);
};

export function specsUsedOf(entries: readonly LogEntry[], steps: StepBounds): SpecUse[] {
  const used = Map.groupBy(
    entries.filter((entry) => isWithin(entry, steps)),
    ({ spec_hash }) => spec_hash,
  );
  return [...used]
    .map(([spec_hash, some]) => ({
      spec_hash,
      spec: JSON.parse((some[0] as LogEntry).spec),
      no_step: some.some(({ step }) => step === null),
    }))
    .sort((a, b) => (a.spec_hash < b.spec_hash ? -1 : 1));
}

export const lacksLengthsOf = (entries: readonly LogEntry[], steps: StepBounds): boolean =>
  entries.some(
    (entry) =>
      isWithin(entry, steps) &&
      entry.groups.some(({ rollouts }) => rollouts.some(({ length_tokens }) => length_tokens === null)),
  );

const valuedCell = (value: number | null, code: string | null) => ({ value, code }) as Valued;

function valuesOf({ result, signals }: GroupEntry): LoggedGroup["values"] {
  if (signals !== undefined) {
    const byName = Map.groupBy(signals, ({ signal }) => signal);
    return Object.fromEntries([...byName].map(([name, rows]) => [name, rows.map((r) => valuedCell(r.value, r.code))]));
  }
  const { rollouts } = result;
  const column = (name: string) =>
    rollouts.map(({ components, error }) => {
      const value = components[name] ?? null;
      return valuedCell(value, value === null ? error : null);
    });
  return { base: column("base"), format: column("format"), overlong: column("overlong") };
}

export function loggedGroupsOf({ request_id, spec_hash, step, groups }: LogEntry, verdicts: boolean): LoggedGroup[] {
  return groups.map((group, index) => ({
    group_id: `${request_id}.${index}`,
    spec_hash,
    step,
    rollouts: group.result.rollouts.map(({ reward, format_ok, jams_judge, duplicate_of }, r) => {
      const { length_tokens = null, candidate_hash = null } = group.rollouts[r] ?? {};
      return { reward, format_ok, jams_judge, duplicate_of, length_tokens, candidate_hash };
    }),
    values: valuesOf(group),
    refused: Object.fromEntries(
      [
        ...Map.groupBy(
          (group.signals ?? []).filter(({ detail }) => detail?.refused),
          ({ signal }) => signal,
        ),
      ].map(([name, rows]) => [name, rows.map((row) => row.rollout_index)]),
    ),
    verdicts: verdicts
      ? group.verdicts.map(({ signal, comparison, sample, order, letter, scores, verdict, status, error }) => {
          return { signal, comparison, sample, order, letter, scores, verdict, status, error };
        })
      : [],
  }));
}
