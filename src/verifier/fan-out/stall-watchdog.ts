// Owns the watch for silence: tells when nothing was heard for as long as it was told to wait. Must
// not know who is listened to.
import type { Clock } from "../../ports/ports.ts";

/** Runs something after so many ms; returns what takes that back. */
export type StartTimer = (run: () => void, ms: number) => () => void;

/** By the runtime's own timers. */
export const setTimer: StartTimer = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/**
 * One timer a silence, not one a byte: it looks when something was heard last, and waits for the
 * rest.
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
   * Listens from now on, in place of any watch before: `onSilence` is called once when `limit_ms`
   * pass without a `heard`.
   */
  listen(limit_ms: number): void {
    this.end();
    this.#limit_ms = limit_ms;
    this.heard();
    this.#arm(limit_ms);
  }

  heard(): void {
    this.#heard = this.#clock.now();
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
