// Defines what one isolate has under way: requests and the bytes of their bodies, against their bounds and
// each key's share of them.
import { LIMITS } from "../../core/faults/limits.ts";

type LoadLimit = "in_flight_requests_max" | "in_flight_body_bytes_max";

/** The bound that is in the way; `share`: all of it is not used up, but the key's share is. */
export interface Excess {
  limit: LoadLimit;
  share: boolean;
}

/** One request's place. */
interface RequestSlot {
  /**
   * Counts bytes of its body that have come, or (below 0) are held no more. What would break a
   * bound is not counted.
   */
  receive(bytes: number): Excess | null;
  /** Takes the place back, once however often it is called. */
  leave(): void;
}

/** The work that a key has under way. */
interface Use {
  requests: number;
  bytes: number;
}

interface LoadEntry {
  key: string;
  bytes: number;
  /**
   * ms since the epoch at which it is given up for lost: a runtime that ends a request with its
   * client may run nothing more of it.
   */
  until: number;
}

/** Work that no request of this isolate waits for. */
interface WorkPlace extends RequestSlot {
  /** The bound that this number of further bytes would break, without counting them; else null. */
  exceeded(bytes: number): Excess | null;
}

const NOTHING: Readonly<Use> = { requests: 0, bytes: 0 };

export class Load {
  /** In the order in which they came, and so in which they would be given up. */
  readonly #entries = new Set<LoadEntry>();
  /** Work without a request, removed when it ends. There are few entries, which end in any order. */
  readonly #works = new Set<LoadEntry>();
  readonly #uses = new Map<string, Use>();
  readonly #total: Use = { ...NOTHING };
  readonly #shared: boolean;

  /** @param shared whether there are several keys, so that none may have all */
  constructor(shared: boolean) {
    this.#shared = shared;
  }

  /** The bound that one more request of the key with this number of bytes would break, else null. */
  exceeded(key: string, bytes: number, now: number): Excess | null {
    for (const entry of this.#entries) {
      if (entry.until > now) break;
      this.#leave(entry);
    }
    this.#dropLost(now);
    return this.#excess(key, "requests", 1) ?? (bytes > 0 ? this.#excess(key, "bytes", bytes) : null);
  }

  /** Counts one request of the key; its body counts as it comes. */
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
   * Counts what work of a key holds that outlives its requests, or came from other isolates: bytes
   * alone.
   * @param until ms since the epoch at which it is given up for lost
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
   * Dynamic thresholds (Choudhury and Hahne 1998): a key may have in_flight_key_of_free times what
   * is left for all. One alone so has three quarters, several the same part each, and something is
   * always left for a key that has nothing yet.
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
