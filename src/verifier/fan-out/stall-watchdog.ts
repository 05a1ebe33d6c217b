// A watchdog for silence: fires if nothing was heard for a given time. Independent of what is watched.
import type { Clock, Timers } from "../../ports/ports.ts";

/** Runs a callback after `ms`; returns a function that cancels the timer. */
export type StartTimer = (run: () => void, ms: number) => () => void;

export const startTimer =
  (timers: Timers): StartTimer =>
  (run, ms) =>
    timers.after(ms, run);

/** How much earlier than requested a coalesced timer may run, ms. */
const SLACK_MS = 8;

/**
 * Multiplexes many timers, most of which are cancelled, onto one runtime timer: setting and clearing a
 * timer per request costs a tenth of a request's CPU in workerd.
 */
export function coalesced(schedule: StartTimer, clock: Clock): StartTimer {
  const waiting = new Set<{ due: number; run: () => void }>();
  let due = Number.POSITIVE_INFINITY;
  let disarm = () => {};

  const arm = (now: number) => {
    disarm();
    due = Number.POSITIVE_INFINITY;
    for (const timer of waiting) due = Math.min(due, timer.due);
    disarm = waiting.size === 0 ? () => {} : schedule(fire, Math.max(0, due - now));
  };
  const fire = () => {
    const until = due + SLACK_MS;
    for (const timer of waiting) {
      if (timer.due > until) continue;
      waiting.delete(timer);
      timer.run();
    }
    arm(clock.now());
  };
  return (run, ms) => {
    const now = clock.now();
    const timer = { due: now + ms, run };
    waiting.add(timer);
    if (timer.due < due) arm(now);
    return () => {
      if (waiting.delete(timer) && waiting.size === 0) arm(0);
    };
  };
}

/**
 * Uses one timer instead of one per byte: when the timer expires early, because something was heard in the
 * meantime, it is set again for the rest of the limit.
 */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #schedule: StartTimer;
  readonly #onSilence: () => void;
  #heard = 0;
  #limit_ms = 0;
  #disarm: () => void = () => {};

  constructor(clock: Clock, schedule: StartTimer, onSilence: () => void) {
    this.#clock = clock;
    this.#schedule = schedule;
    this.#onSilence = onSilence;
  }

  /**
   * Starts watching and replaces any earlier watch. Calls `onSilence` once if `limit_ms` pass without a
   * call of `heard`.
   */
  listen(limit_ms: number): void {
    this.end();
    this.#limit_ms = limit_ms;
    this.heard();
    this.#arm(limit_ms);
  }

  heard(): void {
    if (this.#limit_ms > 0) this.#heard = this.#clock.now();
  }

  end(): void {
    this.#disarm();
    this.#disarm = () => {};
  }

  #arm(ms: number): void {
    this.#disarm = this.#schedule(() => {
      const left = this.#limit_ms - (this.#clock.now() - this.#heard);
      if (left > 0) this.#arm(left);
      else this.#onSilence();
    }, ms);
  }
}
