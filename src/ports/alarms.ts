// The interfaces that looking at alarms needs: where their states are stored, and who is notified.

import type { RunKey } from "../core/contract/owner.ts";
import type { AlarmEvent, AlarmState } from "../core/health/alarm-state.ts";

/** An alarm that is on, of a run that was written to within a day. */
export interface AlarmOn extends RunKey {
  alarm: string;
  level: "watch" | "alarm";
}

/** Where states are remembered. */
export interface AlarmStates {
  /** Whether the run may be looked at now: not within `pause_ms` of the last look, by anybody. */
  claim(run: RunKey, pause_ms: number): Promise<boolean>;
  load(run: RunKey): Promise<AlarmState[]>;
  save(run: RunKey, states: readonly AlarmState[]): Promise<void>;
  /** The newest first, at most `limit`. */
  on(limit: number): Promise<AlarmOn[]>;
}

export interface AlarmNews {
  run: RunKey;
  event: AlarmEvent;
  /** What is wrong, in words; null where it is over. */
  says: string | null;
  state: AlarmState;
}

/** Whether it was taken, or never will be. Never rejects. */
export type Announce = (news: AlarmNews) => Promise<boolean>;
