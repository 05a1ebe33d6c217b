// Counts an isolate's requests in flight and the bytes of their bodies, and enforces the limits and the
// shares of keys.
import { LIMITS } from "../../core/faults/limits.ts";

type LoadLimit = "in_flight_requests_max" | "in_flight_body_bytes_max";

/** A limit that is exceeded. `share`: only the key's share is used up, not the whole limit. */
export interface Excess {
  limit: LoadLimit;
  share: boolean;
}

/** Accounts for one request in flight. */
interface RequestSlot {
  /**
   * Counts bytes of the body as they arrive; a negative number releases bytes. Returns the limit that the
   * bytes would exceed, in which case they are not counted.
   */
  receive(bytes: number): Excess | null;
  /** Stops counting the request. Idempotent. */
  leave(): void;
}

/** A key's work in flight. */
interface Use {
  requests: number;
  bytes: number;
}

interface LoadEntry {
  key: string;
  bytes: number;
  /**
   * Time of expiry, ms since the epoch. The runtime may cancel a request whose client disconnects without
   * running its cleanup.
   */
  until: number;
}

/** Accounts for one piece of background work. */
interface WorkPlace extends RequestSlot {
  /** The limit that another `bytes` would exceed, or null. Does not count the bytes. */
  exceeded(bytes: number): Excess | null;
}

const NOTHING: Readonly<Use> = { requests: 0, bytes: 0 };

export class Load {
  /** Requests in order of arrival, which is also the order of expiry. */
  readonly #entries = new Set<LoadEntry>();
  /** Background work. Its few entries end in arbitrary order. */
  readonly #works = new Set<LoadEntry>();
  readonly #uses = new Map<string, Use>();
  readonly #total: Use = { ...NOTHING };
  readonly #shared: boolean;

  /** @param shared whether several keys share the isolate, so that no key may use the whole limit */
  constructor(shared: boolean) {
    this.#shared = shared;
  }

  /** The limit that another request of the key, with a body of `bytes`, would exceed; null if none. */
  exceeded(key: string, bytes: number, now: number): Excess | null {
    for (const entry of this.#entries) {
      if (entry.until > now) break;
      this.#leave(entry);
    }
    this.#dropLost(now);
    return this.#excess(key, "requests", 1) ?? (bytes > 0 ? this.#excess(key, "bytes", bytes) : null);
  }

  /** Starts counting a request of the key. The bytes of its body are counted as they arrive. */
  enter(key: string, now: number): RequestSlot {
    const entry = { key, bytes: 0, until: now + LIMITS.key_lease_ms };
    this.#entries.add(entry);
    this.#count(key, "requests", 1);
    return {
      receive: (bytes) => this.#receive(this.#entries, entry, bytes),
      leave: () => this.#leave(entry),
    };
  }

  /**
   * Starts counting a key's background work, which outlives its requests or belongs to requests in other
   * isolates.
   * @param until time of expiry, ms since the epoch
   */
  work(key: string, now: number, until: number): WorkPlace {
    this.#dropLost(now);
    const entry = { key, bytes: 0, until };
    this.#works.add(entry);
    return {
      exceeded: (bytes) => this.#excess(key, "bytes", bytes),
      receive: (bytes) => this.#receive(this.#works, entry, bytes),
      leave: () => {
        if (this.#works.delete(entry)) this.#count(key, "bytes", -entry.bytes);
      },
    };
  }

  #dropLost(now: number): void {
    for (const work of this.#works) {
      if (work.until > now) continue;
      this.#works.delete(work);
      this.#count(work.key, "bytes", -work.bytes);
    }
  }

  #receive(among: ReadonlySet<LoadEntry>, entry: LoadEntry, bytes: number): Excess | null {
    const excess = bytes > 0 ? this.#excess(entry.key, "bytes", bytes) : null;
    if (excess !== null || !among.has(entry)) return excess;
    entry.bytes += bytes;
    this.#count(entry.key, "bytes", bytes);
    return null;
  }

  /**
   * Applies dynamic thresholds (Choudhury and Hahne 1998): a key may use up to in_flight_key_of_free times
   * what is free. Thus a single active key gets three quarters, several active keys get equal parts, and
   * something is always left for a new key.
   */
  #excess(key: string, resource: keyof Use, more: number): Excess | null {
    const limit = resource === "requests" ? "in_flight_requests_max" : "in_flight_body_bytes_max";
    const free = LIMITS[limit] - this.#total[resource] - more;
    if (free < 0) return { limit, share: false };
    const used = (this.#uses.get(key) ?? NOTHING)[resource] + more;
    return this.#shared && used > LIMITS.in_flight_key_of_free * free ? { limit, share: true } : null;
  }

  #count(key: string, resource: keyof Use, more: number): void {
    const use = this.#uses.get(key) ?? { ...NOTHING };
    use[resource] += more;
    this.#total[resource] += more;
    if (use.requests > 0 || use.bytes > 0) this.#uses.set(key, use);
    else this.#uses.delete(key);
  }

  #leave(entry: LoadEntry): void {
    if (!this.#entries.delete(entry)) return;
    this.#count(entry.key, "bytes", -entry.bytes);
    this.#count(entry.key, "requests", -1);
  }
}
