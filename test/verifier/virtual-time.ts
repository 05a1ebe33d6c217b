// A time that runs only while everything waits for it: the earliest timer fires once no other work is left.
// Must not know who waits.
import type { Clock } from "../../src/ports/ports.ts";
import type { StartTimer } from "../../src/verifier/fan-out/stall-watchdog.ts";

interface Timer {
  at: number;
  order: number;
  run: () => void;
}

/**
 * Digests are made by other threads: of them the event loop shows nothing, and a busy machine takes
 * its time.
 */
let digesting = 0;
const digest = crypto.subtle.digest.bind(crypto.subtle);
crypto.subtle.digest = async (...of: Parameters<typeof digest>) => {
  digesting++;
  try {
    return await digest(...of);
  } finally {
    digesting--;
  }
};

/** Turns of the event loop in which work without I/O comes to rest: promises, streams in memory. */
const QUIET_TURNS = 4;

export class VirtualTime {
  #now = 0;
  #timers: Timer[] = [];
  #order = 0;

  readonly clock: Clock = {
    now: () => this.#now,
    date: () => new Date(this.#now),
    after: (ms, run) => this.schedule(run, ms),
  };

  readonly schedule: StartTimer = (run, ms) => {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  /** Resolves after `ms` of this time. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(resolve, ms));
  }

  /** Lets time run until the promise is settled. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const end = () => {
      settled = true;
    };
    promise.then(end, end);
    for (;;) {
      for (let turn = 0; turn < QUIET_TURNS; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (digesting > 0) turn = -1;
      }
      if (settled) return promise;
      const next = this.#timers.reduce<Timer | null>(
        (first, timer) =>
          first === null || timer.at < first.at || (timer.at === first.at && timer.order < first.order) ? timer : first,
        null,
      );
      if (next === null) continue;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
  }
}
