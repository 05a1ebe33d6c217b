// The state of a run's alarms between two looks at it, so that each beginning and each end is reported once.
// Must not know storage or rules.
import type { AlarmSpan, Level } from "./alarm.ts";

export interface AlarmState {
  alarm: string;
  /** Null: not on. */
  level: Level | null;
  /** The level that was reported last; null: none, or the end. */
  reported: Level | null;
  /** Since which step it is on, or was. */
  from_step: number;
  /** Last step at which it was on; null while it is. */
  to_step: number | null;
  evidence: AlarmSpan["evidence"];
  /** How often reporting failed. */
  tries: number;
}

/** The event of a change of level; null where there is nothing to report. */
export type AlarmEvent = "began" | "rose" | "ended";

/**
 * The states after a look at the run: of every alarm that is on, or was. An alarm that goes on
 * keeps its first step, though the look may not reach back to it.
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

/** What is new in a state; an alarm that sinks to a watch has neither begun nor ended. */
export function eventOf({ level, reported }: AlarmState): AlarmEvent | null {
  if (level === reported || (reported === "alarm" && level === "watch")) return null;
  if (level === null) return "ended";
  return reported === null ? "began" : "rose";
}
