// The plain computation of a run's aggregates from its entries, against which the database's SQL is tested.

import { expect } from "vitest";
import { mean, percentile } from "../../src/core/math/stats.ts";
import { batchMetrics, parseRate } from "../../src/core/tournament/metrics.ts";
import { stepWarnings } from "../../src/core/tournament/warnings.ts";
import type { LogEntry } from "../../src/ports/log-entry.ts";
import type { RunSummary, StepRow, StepSignal } from "../../src/ports/logged-rows.ts";

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
const near = (value: number | null) => (value === null ? null : expect.closeTo(value, 6));
/** For numbers of any size: ten digits of them. */
const nearOf = (value: number) => expect.closeTo(value, Math.min(6, 10 - Math.ceil(Math.log10(Math.abs(value) + 1))));
const quantile = (values: readonly number[], q: number) =>
  values.length === 0
    ? null
    : near(
        percentile(
          [...values].sort((a, b) => a - b),
          q,
        ),
      );

interface Cell {
  n: number;
  mean: number;
  variance: number;
}

const isWithoutGroups = ({ kind, groups }: LogEntry) => kind === "verdicts" && groups.length === 0;

/**
 * Rewards of a list of entries as weighted cells: one per reward known, one per verdicts request
 * without groups, of which only the moments are.
 */
function rewardCells(entries: readonly LogEntry[]): Cell[] {
  return entries.flatMap((entry): Cell[] => {
    const { reward_mean, reward_std } = entry.metrics;
    if (isWithoutGroups(entry)) {
      return reward_mean === null ? [] : [{ n: entry.items, mean: reward_mean, variance: (reward_std as number) ** 2 }];
    }
    const complete = entry.groups.filter(({ result }) => result.status === "ok");
    const rewards = known(complete.flatMap((group) => group.result.rollouts.map((rollout) => rollout.reward)));
    return rewards.map((reward) => ({ n: 1, mean: reward, variance: 0 }));
  });
}

function moments(cells: readonly Cell[]): { mean: number | null; std: number | null } {
  const n = sum(cells.map((cell) => cell.n));
  if (n === 0) return { mean: null, std: null };
  const m = sum(cells.map((cell) => cell.n * cell.mean)) / n;
  return { mean: m, std: Math.sqrt(sum(cells.map((cell) => cell.n * (cell.variance + (cell.mean - m) ** 2))) / n) };
}

function overallParseRate(entries: readonly LogEntry[]): number | null {
  const uses = entries.flatMap((entry) => entry.groups.map((group) => group.result.verifier));
  const rated = entries.filter((entry) => isWithoutGroups(entry) && entry.metrics.parse_rate !== null);
  const parsed =
    sum(uses.map((use) => use.parsed)) + sum(rated.map((entry) => entry.items * (entry.metrics.parse_rate ?? 0)));
  const answered = sum(uses.map((use) => use.parsed + use.unparsed)) + sum(rated.map((entry) => entry.items));
  return parseRate({ parsed, unparsed: answered - parsed });
}

const rolloutCount = (entries: readonly LogEntry[]) => sum(entries.map((entry) => entry.items));

/** The row of `steps` for the entries of one step. */
export function expectedStep(step: number | null, entries: readonly LogEntry[]): StepRow {
  const times = entries.map(({ created_at }) => created_at.toISOString()).sort();
  const groups = entries.flatMap((entry) => entry.groups);
  const results = groups.map((group) => group.result);
  const verdicts = groups.flatMap((group) => group.verdicts);
  const complete = results.filter(({ status }) => status === "ok");
  const judged = complete
    .map((result) => known(result.rollouts.map((rollout) => rollout.reward)))
    .filter((r) => r.length > 0);
  const errors: Record<string, number> = {};
  for (const { error } of verdicts) if (error !== null) errors[error] = (errors[error] ?? 0) + 1;
  const latencies = verdicts.filter(
    (v) => v.error === null && v.latency_ms + v.prompt_tokens + v.completion_tokens > 0,
  );
  const lengths = known(groups.flatMap((group) => group.rollouts.map((rollout) => rollout.length_tokens)));
  const { mean: reward_mean, std } = moments(rewardCells(entries));
  const shares = results.flatMap(({ rollouts }) => rollouts.flatMap(({ shown }) => shown ?? []));
  const { tau_b_mean, list_acc } = batchMetrics(complete);
  const dollars = entries.flatMap(({ usd }) => usd ?? []);
  return {
    step,
    first_at: times[0] as string,
    last_at: times.at(-1) as string,
    requests: entries.length,
    groups: groups.length,
    rollouts: rolloutCount(entries),
    reward_mean: near(reward_mean),
    reward_std: near(std),
    zero_variance_share: judged.length === 0 ? null : near(mean(judged.map((r) => (new Set(r).size === 1 ? 1 : 0)))),
    parse_rate: near(overallParseRate(entries)),
    tau_b_mean: near(tau_b_mean),
    list_acc: near(list_acc),
    length_tokens: { p50: quantile(lengths, 0.5), p95: quantile(lengths, 0.95) },
    ...(shares.length > 0 && { shown_mean: expect.closeTo(mean(shares), 6) as unknown as number }),
    ...(dollars.length === entries.length && { usd: near(sum(dollars)) as unknown as number }),
    generations: sum(results.map((result) => result.verifier.generations)),
    prompt_tokens: sum(results.map((result) => result.verifier.prompt_tokens)),
    completion_tokens: sum(results.map((result) => result.verifier.completion_tokens)),
    latency_ms: {
      p50: quantile(
        latencies.map((v) => v.latency_ms),
        0.5,
      ),
      p99: quantile(
        latencies.map((v) => v.latency_ms),
        0.99,
      ),
    },
    errors,
    warnings: stepWarnings(
      entries.map((entry) => entry.warnings),
      overallParseRate(entries),
    ),
  };
}

/** A rollout's value of each signal, as its group was logged. */
function signalValues({ result, signals }: LogEntry["groups"][number]): readonly Valued[] {
  if (signals !== undefined && signals.length > 0) return signals;
  return result.rollouts.flatMap(({ components, errors, error }): Valued[] => {
    const { base = null, format, overlong } = errors === undefined ? components : {};
    return [
      { signal: "base", value: base, code: base === null ? error : null },
      { signal: "format", value: format ?? 0, code: null },
      { signal: "overlong", value: overlong ?? 0, code: null },
    ];
  });
}

interface Valued {
  signal: string;
  value: number | null;
  code: string | null;
}

/** The signals of `steps` for them. */
export function expectedSignals(
  entries: readonly LogEntry[],
  told: (mean: number) => number = nearOf,
): Record<string, StepSignal> {
  const bySignal = Map.groupBy(entries.flatMap(({ groups }) => groups).flatMap(signalValues), ({ signal }) => signal);
  return Object.fromEntries(
    [...bySignal].map(([signal, rows]: [string, readonly Valued[]]) => {
      const nulls: Record<string, number> = {};
      for (const { value, code } of rows) if (value === null && code !== null) nulls[code] = (nulls[code] ?? 0) + 1;
      const values = known(rows.map(({ value }) => value));
      return [signal, { mean: values.length === 0 ? null : told(mean(values)), rollouts: rows.length, nulls }];
    }),
  );
}

/** The reply of `run` and `runs` for all entries of a run. */
export function expectedSummary(run_id: string, entries: readonly LogEntry[]): RunSummary {
  const steps = known(entries.map((entry) => entry.step));
  const times = entries.map((entry) => entry.created_at.toISOString()).sort();
  const results = entries.flatMap(({ groups }) => groups.map(({ result }) => result));
  return {
    run_id,
    owner: entries[0]?.key_name ?? null,
    first_step: steps.length === 0 ? null : Math.min(...steps),
    last_step: steps.length === 0 ? null : Math.max(...steps),
    first_at: times[0] as string,
    last_at: times.at(-1) as string,
    requests: entries.length,
    groups: sum(entries.map((entry) => entry.groups.length)),
    rollouts: rolloutCount(entries),
    reward_mean: near(moments(rewardCells(entries)).mean),
    parse_rate: near(overallParseRate(entries)),
    prompt_tokens: sum(results.map(({ verifier }) => verifier.prompt_tokens)),
    completion_tokens: sum(results.map(({ verifier }) => verifier.completion_tokens)),
  };
}
