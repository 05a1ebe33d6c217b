// Firing at given times as exactly as one thread can: a coarse timer, then a spin.

/**
 * A timer may be late by about this much, so the rest of the wait turns the event loop instead.
 * Milliseconds.
 */
const SPIN_MS = 1.5;

/**
 * Most firings in one turn of the event loop: after its own stall the generator must not leave replies
 * unread.
 */
const BURST_MAX = 64;

/**
 * Calls `fire(index, due)` for each of `times` (ms after `start`, ascending) as soon as it is due,
 * never before; one that is late is fired at once, none is skipped. `start` and `due` are on
 * performance.now()'s clock. Resolves after the last, or once aborted.
 */
export function pace(
  times: ArrayLike<number>,
  start: number,
  fire: (index: number, due: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let index = 0;
    const turn = () => {
      let wait = 0;
      for (let burst = 0; burst < BURST_MAX; burst++) {
        if (index === times.length || signal.aborted) return resolve();
        const due = start + (times[index] as number);
        wait = due - performance.now();
        if (wait > 0) break;
        fire(index++, due);
      }
      if (wait > SPIN_MS) setTimeout(turn, Math.min(wait - SPIN_MS, 100));
      else setImmediate(turn);
    };
    turn();
  });
}
