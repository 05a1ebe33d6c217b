// Owns the Prometheus lines about runs' alarms, read when they are asked for. Knows no route.
import { LIMITS } from "../../core/faults/limits.ts";
import { MetricRegistry } from "../../core/load/metric-registry.ts";
import type { AlarmWatch } from "../../scoring/alarm-watch.ts";
import { within } from "../../scoring/waiting.ts";

const FAMILIES = {
  kritai_run_alarm: [
    "gauge",
    "1: the run's alarm is on at this level. Runs written to within a day, the newest alarm_series_max.",
  ],
  kritai_run_alarms_known: ["gauge", "1: the database told which alarms are on; 0: it did not, in time."],
} as const;

/**
 * Prometheus text format 0.0.4. At most alarm_series_max series, however many runs there are; where
 * the database is away the rest of /metrics is told all the same.
 */
export async function alarmMetrics(alarms: Pick<AlarmWatch, "on"> | undefined): Promise<string> {
  if (alarms === undefined) return "";
  const metrics = new MetricRegistry(FAMILIES);
  const asked = alarms.on(LIMITS.alarm_series_max).catch(() => null);
  const on = await within(LIMITS.readiness_timeout_ms, asked, () => null);
  metrics.set("kritai_run_alarms_known", on === null ? 0 : 1);
  for (const { run_id, owner, alarm, level } of on ?? []) {
    metrics.set("kritai_run_alarm", 1, { run_id, owner, alarm, level });
  }
  return metrics.render();
}
