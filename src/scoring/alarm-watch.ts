// Evaluates a run's alarms when new steps are logged, and announces alarms that began or ended. Independent
// of the database and the webhook.

import type { RunKey } from "../core/contract/owner.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { type AlarmSpan, lookOver } from "../core/health/alarm.ts";
import { type AlarmState, eventOf, nextStates } from "../core/health/alarm-state.ts";
import { ALARMS } from "../core/health/alarms/table.ts";
import type { Metrics } from "../platform/counters.ts";
import type { AlarmOn, AlarmStates, Announce } from "../ports/alarms.ts";
import type { RunLog } from "../ports/run-log.ts";

export interface AlarmWatch {
  /** Evaluates the alarms of runs that have new log rows. Failures are counted instead of rejecting. */
  look(runs: readonly RunKey[]): Promise<void>;
  on(limit: number): Promise<AlarmOn[]>;
}

interface WatchDeps {
  runLog: Pick<RunLog, "health">;
  states: AlarmStates;
  /** Omitted: changes are not announced, but /metrics still shows the states. */
  announce?: Announce;
  metrics: Metrics;
  report: (line: Record<string, unknown>) => void;
}

/** Number of past steps that one evaluation reads. */
const STEPS = 300;

const distinct = (runs: readonly RunKey[]): RunKey[] => [
  ...new Map(runs.map((run) => [`${run.owner}\n${run.run_id}`, run])).values(),
];

export function createAlarmWatch({ runLog, states, announce, metrics, report }: WatchDeps): AlarmWatch {
  async function announced(run: RunKey, spans: readonly AlarmSpan[], state: AlarmState): Promise<AlarmState> {
    const event = eventOf(state);
    if (event === null) return state;
    const says = spans.find(({ alarm, to_step }) => alarm === state.alarm && to_step === null)?.says ?? null;
    metrics.add("kritai_alarm_events_total", 1, { alarm: state.alarm, event });
    const taken = announce === undefined || (await announce({ run, event, says, state }));
    const given_up = state.tries + 1 >= LIMITS.webhook_attempts_max;
    if (taken || given_up) return { ...state, reported: state.level, tries: 0 };
    return { ...state, tries: state.tries + 1 };
  }

  async function lookAt(run: RunKey): Promise<void> {
    if (!(await states.claim(run, LIMITS.alarm_pause_ms))) return;
    const [rows, before] = await Promise.all([runLog.health(run, STEPS), states.load(run)]);
    const { spans } = lookOver(ALARMS, rows);
    const next = nextStates(before, spans);
    const after = await Promise.all(next.map((state) => announced(run, spans, state)));
    if (after.length > 0) await states.save(run, after);
  }

  return {
    async look(runs) {
      for (const run of distinct(runs).slice(0, LIMITS.alarm_runs_max)) {
        const failed = await lookAt(run).then(
          () => null,
          (error: unknown) => (error instanceof Error ? error.name : typeof error),
        );
        metrics.add("kritai_alarm_looks_total", 1, { end: failed === null ? "looked" : "failed" });
        if (failed !== null) report({ level: "warn", event: "alarm_look_failed", name: failed });
      }
    },
    on: (limit) => states.on(limit),
  };
}
