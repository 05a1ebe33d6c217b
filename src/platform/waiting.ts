// Helpers for pauses, intervals and timeouts.
import type { Clock } from "../ports/ports.ts";

export const pause = (clock: Clock, ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

/** Calls `run` every `ms`, until the returned function is called. */
export function every(clock: Clock, ms: number, run: () => void): () => void {
  let cancel = () => {};
  const arm = () => {
    cancel = clock.after(ms, () => {
      arm();
      run();
    });
  };
  arm();
  return () => cancel();
}

const OVER = Symbol("over");

/**
 * Resolves with the result of `running`, or with what `late` returns (or throws) if `running` takes longer
 * than `ms`. Does not stop `running`.
 */
export async function within<T, L>(clock: Clock, ms: number, running: Promise<T>, late: () => L): Promise<T | L> {
  let cancel = () => {};
  const over = new Promise<typeof OVER>((resolve) => {
    cancel = clock.after(ms, () => resolve(OVER));
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
