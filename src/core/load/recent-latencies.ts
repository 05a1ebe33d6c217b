// Recent latencies of one backend, and the percentile above which a request counts as a straggler.
// Independent of what is measured.
import { percentile } from "../math/stats.ts";

/** Number of latencies kept; sorting them takes about 10 µs. */
const KEPT = 256;
/** Number of new latencies before the percentile is recomputed. */
const STALE_AFTER = 16;

/** A ring buffer of the latest latencies. */
export class RecentLatencies {
  readonly #ring: number[] = [];
  readonly #samples_min: number;
  #next = 0;
  #since = 0;
  #p95: number | null = null;

  /** @param samples_min minimum number of latencies for a percentile, 1..256 */
  constructor(samples_min: number) {
    this.#samples_min = Math.min(KEPT, samples_min);
  }

  add(ms: number): void {
    this.#ring[this.#next] = ms;
    this.#next = (this.#next + 1) % KEPT;
    this.#since++;
  }

  /**
   * The 95th percentile in ms, at most 16 latencies out of date; null with fewer than `samples_min`
   * latencies.
   */
  get p95(): number | null {
    if (this.#ring.length < this.#samples_min) return null;
    if (this.#p95 === null || this.#since >= STALE_AFTER) {
      this.#p95 = percentile(Float64Array.from(this.#ring).sort(), 0.95);
      this.#since = 0;
    }
    return this.#p95;
  }
}
