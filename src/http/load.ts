// Owns what one isolate has under way: requests and the bytes of their bodies, against their bounds. Knows no HTTP.
import { LIMITS } from "../core/limits.ts";

export type LoadLimit = "in_flight_requests_max" | "in_flight_body_bytes_max";

interface Entry {
  bytes: number;
  /** ms since the epoch at which it is given up for lost: a runtime that ends a request with its client may run nothing more of it. */
  until: number;
}

export class Load {
  /** In the order in which they came, and so in which they would be given up. */
  readonly #entries = new Set<Entry>();
  #bytes = 0;

  /** The bound that one more request would break, else null. One that comes alone is let in: its own size has limits of its own. */
  exceeded(bytes: number, now: number): LoadLimit | null {
    for (const entry of this.#entries) {
      if (entry.until > now) break;
      this.#leave(entry);
    }
    if (this.#entries.size === 0) return null;
    if (this.#entries.size >= LIMITS.in_flight_requests_max) return "in_flight_requests_max";
    return bytes > 0 && this.#bytes + bytes > LIMITS.in_flight_body_bytes_max ? "in_flight_body_bytes_max" : null;
  }

  /** Counts one request; returns what takes it back, once however often it is called. */
  enter(bytes: number, now: number): () => void {
    const entry = { bytes, until: now + LIMITS.key_lease_ms };
    this.#entries.add(entry);
    this.#bytes += bytes;
    return () => this.#leave(entry);
  }

  #leave(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#bytes -= entry.bytes;
  }
}
