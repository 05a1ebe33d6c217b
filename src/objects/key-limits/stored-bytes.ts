// Counts the bytes that a key's open groups, stored replies and batches occupy in Durable Objects, so that no
// key can fill the storage. Bytes are recorded by expiry time, so that they stop counting when their data
// expires even if their release is lost.

import { LIMITS } from "../../core/faults/limits.ts";
import { fail, within } from "../../platform/waiting.ts";
import type { Timers } from "../../ports/ports.ts";

const SLOT_MS = 600_000;

/** Number of the time slot for data that expires at `until` (ms since the epoch). */
export const slotOf = (until: number) => Math.ceil(until / SLOT_MS);

/** Share of its limit that a key may store through one isolate before its counters are called. */
const UNREPORTED_SHARE = 1 / 1024;

/** Bytes by the time slot at whose start they expire, as plain data that can be stored as is. */
export type StoredSlots = Readonly<Record<number, number>>;

/** Added bytes by slot; negative values are released bytes. */
export type StoredChanges = readonly (readonly [slot: number, bytes: number])[];

export interface StoredTotal {
  bytes: number;
  /** Seconds until some of the bytes expire. */
  frees_in_s: number;
}

/** Applies the changes and drops expired slots; `now` is in ms since the epoch. */
export function withChanges(slots: StoredSlots, changes: StoredChanges, now: number): StoredSlots {
  const bytes = new Map(Object.entries(slots).map(([slot, held]) => [Number(slot), held]));
  for (const [slot, change] of changes) bytes.set(slot, Math.max(0, (bytes.get(slot) ?? 0) + change));
  return Object.fromEntries([...bytes].filter(([slot, held]) => held > 0 && slot * SLOT_MS > now));
}

/** Sums up all slots, of which none may have expired. */
export function totalOf(slots: StoredSlots, now: number): StoredTotal {
  const held = Object.values(slots);
  const ends = Object.keys(slots).map(Number);
  const next = ends.length > 0 ? Math.min(...ends) : slotOf(now + SLOT_MS);
  return { bytes: held.reduce((sum, bytes) => sum + bytes, 0), frees_in_s: Math.ceil((next * SLOT_MS - now) / 1000) };
}

/** One key's stored bytes, as known to one isolate. */
interface Account {
  /** Changes that have not been sent to the counters yet, by slot. */
  unreported: Map<number, number>;
  /** Bytes that were sent to the counters, which have not answered yet. */
  sending: number;
  reported: StoredTotal;
}

const sumOf = (changes: Iterable<readonly [number, number]>) => [...changes].reduce((sum, [, bytes]) => sum + bytes, 0);

/**
 * Creates the storage accounts of one isolate. Recording bytes usually needs no call: the counters, which
 * know the sum over all isolates, are called only once a small share of the limit is unreported.
 * @param send reports changes to the counters with the given name
 * @param onUnreachable called when the counters did not answer in time
 */
export function createStorageAccounts(
  send: (name: string, changes: StoredChanges) => Promise<StoredTotal>,
  timers: Timers,
  onUnreachable: () => void,
) {
  const accounts = new Map<string, Account>();

  function accountOf(name: string): Account {
    const known = accounts.get(name);
    if (known !== undefined) return known;
    const account: Account = { unreported: new Map(), sending: 0, reported: { bytes: 0, frees_in_s: SLOT_MS / 1000 } };
    accounts.set(name, account);
    return account;
  }

  function add({ unreported }: Account, changes: StoredChanges): void {
    for (const [slot, bytes] of changes) unreported.set(slot, (unreported.get(slot) ?? 0) + bytes);
  }

  /** Seconds until a key that has reached its limit has space again; null if it is below its limit. */
  function secondsUntilSpace(name: string, quota: number): number | null {
    const { unreported, sending, reported } = accountOf(name);
    return reported.bytes + sending + sumOf(unreported) >= quota ? reported.frees_in_s : null;
  }

  async function report(name: string, account: Account): Promise<void> {
    const changes = [...account.unreported];
    const bytes = sumOf(changes);
    account.unreported.clear();
    account.sending += bytes;
    const sent = (async () => send(name, changes))().finally(() => {
      account.sending -= bytes;
    });
    // A call that is merely late may still be recorded, so its changes are restored only if the call fails.
    sent.catch(() => add(account, changes));
    try {
      account.reported = await within(timers, LIMITS.key_limits_timeout_ms, sent, fail("late"));
    } catch {
      onUnreachable();
    }
  }

  return {
    secondsUntilSpace,
    /**
     * Records bytes until `until` (ms since the epoch), or releases them if `bytes` is negative. Waits for a
     * call to the counters if one is due. For a key that has reached its limit, a call is always due.
     */
    async book(name: string, quota: number, bytes: number, until: number): Promise<void> {
      const account = accountOf(name);
      if (bytes !== 0) add(account, [[slotOf(until), bytes]]);
      const unreported = [...account.unreported.values()].reduce((sum, change) => sum + Math.abs(change), 0);
      const due = unreported >= Math.min(LIMITS.stored_bytes_unreported, quota * UNREPORTED_SHARE);
      if (due || secondsUntilSpace(name, quota) !== null) await report(name, account);
    },
  };
}
