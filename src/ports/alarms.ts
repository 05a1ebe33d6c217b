// Ports for checking alarms: the storage of their states, and notifications.

import type { RunKey } from "../core/contract/owner.ts";
import type { AlarmEvent, AlarmState } from "../core/health/alarm-state.ts";

/** An alarm that is on, of a run that logged a request within the last day. */
export interface AlarmOn extends RunKey {
  alarm: string;
  level: "watch" | "alarm";
}

/** Storage of alarm states. */
export interface AlarmStates {
  /** Claims the right to check the run; false if any caller has checked the run within `pause_ms`. */
  claim(run: RunKey, pause_ms: number): Promise<boolean>;
  load(run: RunKey): Promise<AlarmState[]>;
  save(run: RunKey, states: readonly AlarmState[]): Promise<void>;
  /** Lists active alarms, newest first, at most `limit`. */
  on(limit: number): Promise<AlarmOn[]>;
}

export interface AlarmNews {
  run: RunKey;
  event: AlarmEvent;
  /** Description of the problem; null when the alarm has ended. */
  says: string | null;
  state: AlarmState;
}

/**
 * Sends a notification. Resolves to true if the notification was accepted or never will be, so that it is not
 * sent again. Never rejects.
 */
export type Announce = (news: AlarmNews) => Promise<boolean>;
