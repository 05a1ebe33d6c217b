// Doing many things with a bound on how many at once.

/** Runs work at once up to the bound; the rest waits in the order it came. */
export type Limiter = <R>(work: () => Promise<R>) => Promise<R>;

/** A limiter that its users share. */
export function createLimiter(atOnce_max: number): Limiter {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= atOnce_max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // A freed place goes straight to the next that waits, so that a later one cannot take it.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

/**
 * `work` of every item, at most `atOnce_max` at a time, results in the items' order. Rejects with
 * the first failure.
 */
export function mapBounded<T, R>(items: readonly T[], atOnce_max: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const limited = createLimiter(atOnce_max);
  return Promise.all(items.map((item) => limited(() => work(item))));
}
