// Limits how many requests wait for response headers at the same time, across all sessions of an incoming
// request. Must not depend on the questions.
import { LIMITS } from "../faults/limits.ts";
import type { HeaderSlots } from "./questions.ts";

/** A Worker may have at most six connections waiting for headers, across all backends (docs/decisions.md). */
export function createHeaderSlots(): HeaderSlots {
  const wakers: (() => void)[] = [];
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    get free() {
      return waiting < LIMITS.headers_waiting_max;
    },
    take() {
      waiting++;
    },
    giveBack() {
      waiting--;
      for (const wake of wakers) wake();
    },
    onFree(wake) {
      wakers.push(wake);
    },
  };
}
