// Options of a governor: limits, clock and timers, the shared backend, and how one request is sent.
import type { HeaderSlots, VerifierJob } from "../../core/wire/questions.ts";
import type { Clock, VerifierCall } from "../../ports/ports.ts";
import type { Backend } from "./backend.ts";
import type { Countable, Task } from "./queue.ts";
import type { AttemptResult } from "./refusal.ts";
import { type StartTimer, startTimer } from "./stall-watchdog.ts";

export interface GovernorOptions<J extends Countable = VerifierJob> {
  max_in_flight: number;
  signal: AbortSignal;
  /** The time, by `clock.now()`, at which the signal will abort; null if unknown. */
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
  /** Backend state shared with other sessions. */
  backend: Backend;
  /**
   * Sends the task's request until the signal aborts. All requests of a session share one AbortSignal, since
   * a controller per request costs a tenth of a request's CPU in workerd. Calls `onHeaders` once, when
   * response headers arrive (true: not a refusal) or the wait for them ends, and `onBytes` at least once
   * after the answer begins. Rejects only for a bug in this program.
   */
  send: (
    task: Task<J>,
    signal: AbortSignal,
    onHeaders: (accepted: boolean) => void,
    onBytes: () => void,
  ) => Promise<AttemptResult>;
}

/** Options derived from a call, with the clock's timers and the runtime's randomness. */
export function callOptions(given: VerifierCall, clock: Clock) {
  const { signal, deadline_at, header_slots, silence_ms, hand_on, tenant } = given;
  const call = { signal, deadline_at: deadline_at ?? null, header_slots, silence_ms, hand_on, tenant };
  return { ...call, random: Math.random, schedule: startTimer(clock) };
}
