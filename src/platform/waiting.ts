// Helpers for pauses and timeouts.
import type { Timers } from "../ports/ports.ts";

export const pause = (timers: Timers, ms: number) => new Promise<void>((resolve) => void timers.after(ms, resolve));

const OVER = Symbol("over");

/**
 * Resolves with the result of `running`, or with what `late` returns (or throws) if `running` takes longer
 * than `ms`. Does not stop `running`.
 */
export async function within<T, L>(timers: Timers, ms: number, running: Promise<T>, late: () => L): Promise<T | L> {
  let cancel = () => {};
  const over = new Promise<typeof OVER>((resolve) => {
    cancel = timers.after(ms, () => resolve(OVER));
  });
  try {
    const first = await Promise.race([running, over]);
    return first === OVER ? late() : (first as T);
  } finally {
    cancel();
  }
}

/** A `late` callback for `within` that throws an error with this message. */
export const fail = (name: string) => (): never => {
  throw new Error(name);
};

/** Calls `work` with a signal that aborts, with a TimeoutError, if `work` takes longer than `ms`. */
export async function withTimeout<T>(
  timers: Timers,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const late = () => timeout.abort(new DOMException(`no end within ${ms} ms`, "TimeoutError"));
  const cancel = timers.after(ms, late);
  try {
    return await work(timeout.signal);
  } finally {
    cancel();
  }
}
