// The gateway's time and timers: the only file of the gateway that may use Node's own.
import type { Timers } from "../../../src/ports/ports.ts";

/** Timers that do not keep the process alive; the open requests that wait for them do. */
export const gatewayTimers: Timers = {
  now: () => performance.timeOrigin + performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
};

/** Runs `run` after the I/O callbacks of the current turn of the event loop. */
export const afterTurn = (run: () => void): void => void setImmediate(run);
