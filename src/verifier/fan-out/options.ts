// A governor's settings: its bounds, its clock and timers, the backend it shares, and how one request is
// sent. Must not know what it does with them.
import type { HeaderSlots, VerifierJob } from "../../core/wire/questions.ts";
import type { Clock, VerifierCall } from "../../ports/ports.ts";
import type { Backend } from "./backend.ts";
import type { Countable, Task } from "./queue.ts";
import type { AttemptResult } from "./refusal.ts";
import { type StartTimer, setTimer } from "./stall-watchdog.ts";

export interface GovernorOptions<J extends Countable = VerifierJob> {
  max_in_flight: number;
  signal: AbortSignal;
  /** clock.now() at which the signal will abort; null when not known. */
  deadline_at: number | null;
  clock: Clock;
  random: () => number;
  schedule: StartTimer;
  header_slots?: HeaderSlots | undefined;
  /** See VerifierCall. */
  silence_ms?: number | undefined;
  hand_on?: boolean | undefined;
  /** See VerifierCall. */
  tenant?: string | undefined;
  /** What is shared with the other sessions on the same backend. */
  backend: Backend;
  /**
   * Sends the task's request, until the signal aborts: one signal for the whole session, since a
   * controller a request is a tenth of a request's CPU in workerd. Calls `onHeaders` once when
   * response headers are there (true: not a refusal) or the wait for them has ended, and `onBytes`
   * at least once when the answer has begun. Rejects only for a fault of this program.
   */
  send: (
    task: Task<J>,
    signal: AbortSignal,
    onHeaders: (accepted: boolean) => void,
    onBytes: () => void,
  ) => Promise<AttemptResult>;
}

/** A governor's settings from the call that it works for, with its own randomness and timer. */
export function callOptions({ signal, deadline_at, header_slots, silence_ms, hand_on, tenant }: VerifierCall) {
  const call = { signal, deadline_at: deadline_at ?? null, header_slots, silence_ms, hand_on, tenant };
  return { ...call, random: Math.random, schedule: setTimer };
}
