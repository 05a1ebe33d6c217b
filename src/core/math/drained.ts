// Owns running a generator to its end.

/** What a generator comes to, whatever it yields. */
export function drained<T>(running: Generator<unknown, T, undefined>): T {
  for (;;) {
    const { done, value } = running.next();
    if (done) return value;
  }
}
