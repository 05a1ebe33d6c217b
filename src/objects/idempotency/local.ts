// Idempotency-Keys in the memory of one process, for tests and for hosts without Durable Objects.

import { LIMITS } from "../../core/faults/limits.ts";
import type { Timers } from "../../ports/ports.ts";
import { memoryValues } from "../storage/memory.ts";
import { IdempotentEntry } from "./entry.ts";
import type { IdempotentReplies, KeptReply } from "./reply.ts";

/** Creates an in-memory store that drops the oldest replies beyond idempotency_local_bytes. */
export function createLocalReplies(timers: Timers): IdempotentReplies {
  const entries = new Map<string, IdempotentEntry>();
  const sizes = new Map<string, number>();
  let bytes = 0;

  function forget(name: string): void {
    entries.delete(name);
    bytes -= sizes.get(name) ?? 0;
    sizes.delete(name);
  }

  function open(name: string): IdempotentEntry {
    const known = entries.get(name);
    if (known !== undefined) return known;
    const values = memoryValues(
      timers,
      () => void entry.wake(),
      // An entry that was dropped to free space may already have been replaced by a new one.
      () => void (entries.get(name) === entry && forget(name)),
    );
    const entry: IdempotentEntry = new IdempotentEntry(values, timers);
    entries.set(name, entry);
    return entry;
  }

  function keep(name: string, reply: KeptReply): void {
    if (sizes.has(name)) return;
    sizes.set(name, reply.body.byteLength);
    bytes += reply.body.byteLength;
    for (const oldest of sizes.keys()) {
      if (bytes <= LIMITS.idempotency_local_bytes) return;
      void entries.get(oldest)?.drop();
    }
  }

  /** Calls `use` with an entry, and removes the entry if it is empty afterwards. */
  const using = async <T>(name: string, use: (entry: IdempotentEntry) => T | Promise<T>): Promise<T> => {
    const entry = open(name);
    const result = await use(entry);
    if (entry.isEmpty && entries.get(name) === entry) forget(name);
    return result;
  };

  return {
    begin: (name, owner, fingerprint) => using(name, (entry) => entry.begin(owner, fingerprint)),
    renew: (name, owner) => using(name, (entry) => entry.renew(owner)),
    async complete(name, fingerprint, reply) {
      const answer = await using(name, (entry) => entry.complete(fingerprint, reply));
      keep(name, answer);
      return answer;
    },
    release: (name, owner) => using(name, (entry) => entry.release(owner)),
    drop: (name) => using(name, (entry) => entry.drop()),
    wait: (name, ms) => using(name, (entry) => entry.wait(ms)),
  };
}
