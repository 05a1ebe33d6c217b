// Waits for a time, and for something no longer than a time.
import type { Clock } from "../ports/ports.ts";

export const pause = (clock: Clock, ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

/** Calls `run` again and again, `ms` after each other, until the returned function is called. */
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
 * The result of `running`, or what `late` returns (or throws) when that takes longer than `ms`. It does not
 * end `running`.
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

/** For `within`: a wait that was too long is an error of this name. */
export const fail = (name: string) => (): never => {
  throw new Error(name);
};
