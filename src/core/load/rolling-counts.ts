// Counts over the recent past in a ring of time slices, so that old counts expire by themselves. Independent
// of what is counted and of the clock.

const SLICES = 10;

/**
 * Counts of several kinds over the last `window_ms`, with a resolution of a tenth of the window. Times are in
 * ms from a single clock and must not decrease.
 */
export class RollingCounts<Kind extends string> {
  readonly #slice_ms: number;
  readonly #slices: { at: number; counts: Partial<Record<Kind, number>> }[] = [];

  constructor(window_ms: number) {
    this.#slice_ms = window_ms / SLICES;
  }

  add(kind: Kind, now: number): void {
    const at = Math.floor(now / this.#slice_ms);
    let last = this.#slices.at(-1);
    if (last === undefined || last.at < at) {
      last = { at, counts: {} };
      this.#slices.push(last);
      this.#forget(at);
    }
    last.counts[kind] = (last.counts[kind] ?? 0) + 1;
  }

  /** The count of `kind` in the window that ends at `now`. */
  sum(kind: Kind, now: number): number {
    this.#forget(Math.floor(now / this.#slice_ms));
    return this.#slices.reduce((sum, { counts }) => sum + (counts[kind] ?? 0), 0);
  }

  clear(): void {
    this.#slices.length = 0;
  }

  #forget(at: number): void {
    while (this.#slices.length > 0 && (this.#slices[0]?.at ?? 0) <= at - SLICES) this.#slices.shift();
  }
}
