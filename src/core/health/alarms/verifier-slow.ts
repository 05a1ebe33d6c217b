// Owns the alarm `verifier_slow`: the slowest answers take twice what they took in the first hour.
import type { Alarm } from "../alarm.ts";
import type { HealthRow } from "../health-row.ts";

const HOUR_MS = 3_600_000;

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? null : (sorted[Math.floor((sorted.length - 1) / 2)] as number);
}

const within = (rows: readonly HealthRow[]) =>
  rows.filter(({ at_ms }) => at_ms < (rows[0]?.at_ms ?? 0) + HOUR_MS).flatMap((row) => row.latency_p99_ms ?? []);

export const verifierSlow: Alarm = {
  name: "verifier_slow",
  bad: "above",
  alarm: 2,
  clear: 1.5,
  series(rows) {
    const base = median(within(rows));
    if (base === null || base === 0) return rows.map(() => null);
    return rows.map(({ latency_p99_ms }) => (latency_p99_ms === null ? null : latency_p99_ms / base));
  },
  detail: ({ latency_p99_ms }) => ({ latency_p99_ms }),
};
