// The state of a run's alarms between two checks, so that the start and the end of each alarm are reported
// once. Independent of storage and of the rules.
import type { AlarmSpan, Level } from "./alarm.ts";

export interface AlarmState {
  alarm: string;
  /** Null if the alarm is off. */
  level: Level | null;
  /** The last reported level; null if nothing has been reported yet, or if the end was reported. */
  reported: Level | null;
  /** The first step of the current or last span. */
  from_step: number;
  /** Last step at which the alarm was on; null if it is still on. */
  to_step: number | null;
  evidence: AlarmSpan["evidence"];
  /** Number of failed attempts to report the current change. */
  tries: number;
}

/** A change of level to report: started, raised from watch to alarm, or ended. */
export type AlarmEvent = "began" | "rose" | "ended";

/**
 * Computes the states after a check, one for each alarm that is or was on. A continuing alarm keeps its first
 * step, even if the checked rows begin later.
 */
export function nextStates(before: readonly AlarmState[], spans: readonly AlarmSpan[]): AlarmState[] {
  const open = new Map(spans.flatMap((span) => (span.to_step === null ? [[span.alarm, span] as const] : [])));
  const known = new Map(before.map((state) => [state.alarm, state]));
  const on = [...open.values()].map(({ alarm, level, from_step, evidence }): AlarmState => {
    const was = known.get(alarm);
    const goesOn = was !== undefined && was.level !== null;
    const tries = was?.level === level ? was.tries : 0;
    const reported = was?.reported ?? null;
    return { alarm, level, reported, from_step: goesOn ? was.from_step : from_step, to_step: null, evidence, tries };
  });
  const over = before.flatMap((was): AlarmState[] => {
    if (open.has(was.alarm)) return [];
    if (was.level === null) return [was];
    const last = spans.findLast(({ alarm }) => alarm === was.alarm);
    return [{ ...was, level: null, to_step: last?.to_step ?? was.evidence.step, tries: 0 }];
  });
  return [...on, ...over];
}

/** The event to report for a state; null if there is none. A drop from `alarm` to `watch` is not reported. */
export function eventOf({ level, reported }: AlarmState): AlarmEvent | null {
  if (level === reported || (reported === "alarm" && level === "watch")) return null;
  if (level === null) return "ended";
  return reported === null ? "began" : "rose";
}
