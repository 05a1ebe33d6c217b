// The system clock as a port.
import type { Clock } from "../ports/ports.ts";

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
