// The system clock as a port: the only file of src that may use the runtime's time and timers.
import type { Clock } from "../ports/ports.ts";

export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  date: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
};

/** A new signal that aborts after `ms`, for clients that take a signal and do not report the end of a call. */
export const timeoutSignal = (ms: number): AbortSignal => AbortSignal.timeout(ms);
