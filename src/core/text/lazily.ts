// Builds values at their first use, so that a Worker's start does not pay for them.

/** Returns a function that calls `make` at its first call and returns the same value from then on. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
