// Accounts for the bytes that a key's open groups, stored replies and batches occupy in Durable Objects, so
// that one key cannot fill the storage. Bytes are booked by expiry time, so a lost release expires with its
// data.

import { LIMITS } from "../../core/faults/limits.ts";
import { systemClock } from "../../platform/clock.ts";
import { fail, within } from "../../platform/waiting.ts";

const SLOT_MS = 600_000;

/** The slot of data that expires at `until` (ms since the epoch). */
export const slotOf = (until: number) => Math.ceil(until / SLOT_MS);

/** Share of its limit that a key may store in one isolate before its counters are called. */
const UNREPORTED_SHARE = 1 / 1024;

/** Bytes by the slot at whose start they expire. Plain data, stored as is. */
export type StoredSlots = Readonly<Record<number, number>>;

/** Added bytes by slot; negative values are released bytes. */
export type StoredChanges = readonly (readonly [slot: number, bytes: number])[];

export interface StoredTotal {
  bytes: number;
  /** Seconds until some of the bytes expire. */
  frees_in_s: number;
}

/** Applies the changes and drops expired slots (`now` in ms since the epoch). */
export function withChanges(slots: StoredSlots, changes: StoredChanges, now: number): StoredSlots {
  const bytes = new Map(Object.entries(slots).map(([slot, held]) => [Number(slot), held]));
  for (const [slot, change] of changes) bytes.set(slot, Math.max(0, (bytes.get(slot) ?? 0) + change));
  return Object.fromEntries([...bytes].filter(([slot, held]) => held > 0 && slot * SLOT_MS > now));
}

/** The sum over all slots; `slots` must not contain expired ones. */
export function totalOf(slots: StoredSlots, now: number): StoredTotal {
  const held = Object.values(slots);
  const ends = Object.keys(slots).map(Number);
  const next = ends.length > 0 ? Math.min(...ends) : slotOf(now + SLOT_MS);
  return { bytes: held.reduce((sum, bytes) => sum + bytes, 0), frees_in_s: Math.ceil((next * SLOT_MS - now) / 1000) };
}

/** One key's account in one isolate. */
interface Account {
  /** Booked here and not sent yet, by slot. */
  unreported: Map<number, number>;
  /** Sent and not answered yet. */
  sending: number;
  reported: StoredTotal;
}

const sumOf = (changes: Iterable<readonly [number, number]>) => [...changes].reduce((sum, [, bytes]) => sum + bytes, 0);

/**
 * The storage accounts of one isolate. Booking does not wait for a call: the counters are called once a small
 * share of the limit is unreported, and return the sum over all isolates.
 * @param send reports changes to the counters of a name
 * @param onUnreachable called when the counters did not answer in time
 */
export function createStorageAccounts(
  send: (name: string, changes: StoredChanges) => Promise<StoredTotal>,
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

  /** Seconds until a key at its limit has space again; null if the key is below its limit. */
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
    // A late call may still be booked, so its bytes are restored only if the call fails.
    sent.catch(() => add(account, changes));
    try {
      account.reported = await within(systemClock, LIMITS.key_limits_timeout_ms, sent, fail("late"));
    } catch {
      onUnreachable();
    }
  }

  return {
    secondsUntilSpace,
    /**
     * Books bytes until `until` (ms since the epoch), or releases bytes if negative. Resolves after the call
     * to the counters if one is due; a key at its limit calls them each time.
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
