// Counts an isolate's requests in flight and the bytes of their bodies, and enforces the limits and each
// key's share.
import { LIMITS } from "../../core/faults/limits.ts";

type LoadLimit = "in_flight_requests_max" | "in_flight_body_bytes_max";

/** The exceeded limit. `share`: the key's share is used up, but not the whole limit. */
export interface Excess {
  limit: LoadLimit;
  share: boolean;
}

/** The accounting entry of one request. */
interface RequestSlot {
  /**
   * Counts bytes of the body as they arrive; a negative number releases them. Bytes that would exceed a limit
   * are not counted.
   */
  receive(bytes: number): Excess | null;
  /** Releases the entry. Idempotent. */
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
   * Expiry in ms since the epoch. Needed because a runtime may cancel a request with its client and run none
   * of its cleanup.
   */
  until: number;
}

/** The accounting entry of background work. */
interface WorkPlace extends RequestSlot {
  /** The limit that `bytes` more would exceed, or null. Does not count them. */
  exceeded(bytes: number): Excess | null;
}

const NOTHING: Readonly<Use> = { requests: 0, bytes: 0 };

export class Load {
  /** Requests in order of arrival, which is also the order of expiry. */
  readonly #entries = new Set<LoadEntry>();
  /** Background work. There are few entries, and they end in any order. */
  readonly #works = new Set<LoadEntry>();
  readonly #uses = new Map<string, Use>();
  readonly #total: Use = { ...NOTHING };
  readonly #shared: boolean;

  /** @param shared whether several keys share the isolate, so that none may use the whole limit */
  constructor(shared: boolean) {
    this.#shared = shared;
  }

  /** The limit that one more request of the key with `bytes` more would exceed, or null. */
  exceeded(key: string, bytes: number, now: number): Excess | null {
    for (const entry of this.#entries) {
      if (entry.until > now) break;
      this.#leave(entry);
    }
    this.#dropLost(now);
    return this.#excess(key, "requests", 1) ?? (bytes > 0 ? this.#excess(key, "bytes", bytes) : null);
  }

  /** Counts one request of the key. Bytes of its body are counted as they arrive. */
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
   * Counts the bytes held by background work of a key: work that outlives its requests or came from other
   * isolates.
   * @param until expiry in ms since the epoch
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
   * Dynamic thresholds (Choudhury and Hahne 1998): a key may use up to in_flight_key_of_free times what is
   * free. A single active key thus gets three quarters, several keys get equal parts, and a new key always
   * finds something free.
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
