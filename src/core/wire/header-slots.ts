// Limits how many requests wait for response headers at the same time, over all sessions of one request. Must
// not know the questions.
import { LIMITS } from "../faults/limits.ts";
import type { HeaderSlots } from "./questions.ts";

/** A Worker allows at most six connections that wait for headers, over all backends (docs/decisions.md). */
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
