// Runs a generator to completion.

/** Returns a generator's result and discards the values it yields. */
export function drained<T>(running: Generator<unknown, T, undefined>): T {
  for (;;) {
    const { done, value } = running.next();
    if (done) return value;
  }
}
