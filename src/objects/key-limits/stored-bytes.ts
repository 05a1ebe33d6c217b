// Accounts for the bytes that one key's open groups, kept replies and batches hold in Durable
// Objects, so that no key fills their storage. Bytes are booked by when they are forgotten: a release
// that is lost expires with its time.

import { LIMITS } from "../../core/faults/limits.ts";
import { systemClock } from "../../platform/clock.ts";
import { fail, within } from "../../platform/waiting.ts";

const SLOT_MS = 600_000;

/** The slot of bytes that are forgotten then, ms since the epoch. */
export const slotOf = (until: number) => Math.ceil(until / SLOT_MS);

/** A key may have this share of its limit stored in one isolate before its counters are called. */
const UNREPORTED_SHARE = 1 / 1024;

/** Bytes by the slot at whose beginning they are forgotten. Plain data, to be stored as it is. */
export type StoredSlots = Readonly<Record<number, number>>;

/** Bytes that are stored from now on, or fewer where negative, by slot. */
export type StoredChanges = readonly (readonly [slot: number, bytes: number])[];

export interface StoredTotal {
  bytes: number;
  /** Seconds until some of them are forgotten. */
  frees_in_s: number;
}

/** The slots with the changes, without what is forgotten by now (ms since the epoch). */
export function withChanges(slots: StoredSlots, changes: StoredChanges, now: number): StoredSlots {
  const bytes = new Map(Object.entries(slots).map(([slot, held]) => [Number(slot), held]));
  for (const [slot, change] of changes) bytes.set(slot, Math.max(0, (bytes.get(slot) ?? 0) + change));
  return Object.fromEntries([...bytes].filter(([slot, held]) => held > 0 && slot * SLOT_MS > now));
}

/** The sum of slots without what is forgotten by now. */
export function totalOf(slots: StoredSlots, now: number): StoredTotal {
  const held = Object.values(slots);
  const ends = Object.keys(slots).map(Number);
  const next = ends.length > 0 ? Math.min(...ends) : slotOf(now + SLOT_MS);
  return { bytes: held.reduce((sum, bytes) => sum + bytes, 0), frees_in_s: Math.ceil((next * SLOT_MS - now) / 1000) };
}

/** One key's account in an isolate. */
interface Account {
  /** Booked here, not sent yet. */
  unreported: Map<number, number>;
  /** Sent, not answered yet. */
  sending: number;
  reported: StoredTotal;
}

const sumOf = (changes: Iterable<readonly [number, number]>) => [...changes].reduce((sum, [, bytes]) => sum + bytes, 0);

/**
 * One isolate's accounts. Booking waits for no call: the counters are called when a small share of the
 * limit is unreported, and answer with the sum of all isolates.
 * @param send reports changes to the counters of that name
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

  /** Seconds until a key at its limit has space again; null for one below it. */
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
    // A late call may still be booked: its bytes come back when it fails, and not before.
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
     * Books bytes until then (ms since the epoch), or lets them go where negative. Resolves when the
     * counters were called where that is due; a key at its limit calls them each time.
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
