// Runs a generator to its end.

/** A generator's result, whatever it yields. */
export function drained<T>(running: Generator<unknown, T, undefined>): T {
  for (;;) {
    const { done, value } = running.next();
    if (done) return value;
  }
}
