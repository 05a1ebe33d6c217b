// Asks a key's counters, wherever they are: one call a request that carries what its neighbours have spent.
// Must not know routes or storage.

import { LIMITS } from "../../core/faults/limits.ts";
import { systemClock } from "../../platform/clock.ts";
import { fail, pause, within } from "../../platform/waiting.ts";
import type { Grant, KeyLimit, KeyLimits, KeyUse } from "../../ports/key-limits.ts";
import type { CountersNamespace, CountersStub } from "./ledger.ts";
import { limitOf, type Spending } from "./ledger.ts";
import { createStorageAccounts } from "./stored-bytes.ts";

interface KeyLimitsOptions {
  limits: ReadonlyMap<string, KeyLimit>;
  counters: CountersNamespace;
  /** A call that brought nothing; the request went through. */
  onUnreachable: () => void;
}

interface Pending extends KeyUse {
  ended: string[];
}

/** Ended requests that are remembered while their counters cannot be reached. */
const ENDED_KEPT_MAX = 4_096;

/** Name of the counters of an open deployment's callers: no key can be called so. */
const OPEN = "(open)";

/** One isolate's unreported use, and the calls that take it along. */
function bookkeeping({ counters, onUnreachable }: Pick<KeyLimitsOptions, "counters" | "onUnreachable">) {
  const pendings = new Map<string, Pending>();

  function pendingOf(name: string): Pending {
    const known = pendings.get(name) ?? { ended: [], tokens: 0, usd: 0, log_rows: 0 };
    pendings.set(name, known);
    return known;
  }

  /** The use that a call takes along; it is put back when the call fails. */
  function take(pending: Pending): Spending {
    const { ended, tokens, usd, log_rows } = pending;
    Object.assign(pending, { ended: [], tokens: 0, usd: 0, log_rows: 0 });
    return { ended, tokens, usd, log_rows };
  }

  async function call<T>(
    name: string,
    send: (stub: CountersStub, spending: Spending) => Promise<T>,
  ): Promise<T | null> {
    const pending = pendingOf(name);
    const spending = take(pending);
    const sent = (async () => send(counters.getByName(name), spending))();
    // A call that is only late books its use yet: it comes back when it fails, and not before.
    sent.catch(() => {
      pending.tokens += spending.tokens;
      pending.usd += spending.usd;
      pending.log_rows += spending.log_rows;
    });
    try {
      return await within(systemClock, LIMITS.key_limits_timeout_ms, sent, fail("late"));
    } catch {
      // Leases end once, however often that is reported; the oldest run out by themselves.
      pending.ended = [...spending.ended, ...pending.ended].slice(-ENDED_KEPT_MAX);
      onUnreachable();
      return null;
    }
  }

  /**
   * Each request waits for itself: in a Worker one must not wait for another's timer.
   * @returns the rows that the key has logged today, where its counters were told anything
   */
  async function flush(name: string): Promise<number | null> {
    await pause(systemClock, LIMITS.key_limits_flush_ms);
    const { ended, tokens, usd, log_rows } = pendingOf(name);
    if (ended.length === 0 && tokens === 0 && usd === 0 && log_rows === 0) return null;
    return call(name, (stub, spending) => stub.book(spending));
  }

  return { pendingOf, call, flush };
}

/**
 * Limits kept by one counter object a key. A request waits for one call; its spending is booked by the next
 * request's call, or by a separate one when none comes soon. Counters that cannot be reached within
 * key_limits_timeout_ms let the request through: they guard against one key using up the others' share, and
 * losing that for a while costs less than refusing every trainer. A key with only the log's limit waits for
 * no call until an isolate has heard that it is reached.
 */
export function createKeyLimits({ limits, counters, onUnreachable }: KeyLimitsOptions): KeyLimits {
  const { pendingOf, call, flush } = bookkeeping({ counters, onUnreachable });
  /** The name of the counters where the key's requests at one time are limited. */
  const placesOf = (key: string | null) => (limitOf(limits, key).concurrency === null ? null : (key ?? OPEN));
  /** Keys that have logged all that they may: these are asked for again, until one may go. */
  const full = new Set<string>();
  /** Whether the key has a limit that a request must ask for; the log's is known beforehand. */
  const asks = ({ rpm, tokens_per_day, usd_per_day, concurrency }: KeyLimit) =>
    [rpm, tokens_per_day, usd_per_day, concurrency].some((limit) => limit !== null);
  const storage = createStorageAccounts((name, changes) => counters.getByName(name).store(changes), onUnreachable);

  return {
    async admit(key, lease, judges): Promise<Grant | null> {
      const limit = limitOf(limits, key);
      const name = key ?? OPEN;
      if (!asks(limit) && !full.has(name)) return null;
      // Reading and deleting adds no rows.
      const asked = judges ? limit : { ...limit, concurrency: null, log_rows_per_day: null };
      const grant = await call(name, (stub, spending) => stub.ask(asked, lease, spending));
      if (judges && grant?.refused_by === null) full.delete(name);
      return grant;
    },
    async reserve(key, lease, until): Promise<void> {
      const name = placesOf(key);
      if (name !== null) await call(name, (stub, spending) => stub.holdLease(lease, until, spending));
    },
    async release(key, lease): Promise<void> {
      const name = placesOf(key);
      if (name === null) return;
      // Also of a call that was only late: the lease that it left behind would hold a place until
      // it runs out.
      pendingOf(name).ended.push(lease);
      await flush(name);
    },
    async spend(key, { tokens, usd, log_rows }): Promise<void> {
      const limit = limitOf(limits, key);
      const name = key ?? OPEN;
      const pending = pendingOf(name);
      if (limit.tokens_per_day !== null) pending.tokens += tokens;
      if (limit.usd_per_day !== null) pending.usd += usd;
      pending.log_rows += log_rows;
      // Few rows wait for the next call: a separate one would cost more than what it guards.
      const quota = limit.log_rows_per_day ?? Number.POSITIVE_INFINITY;
      const booksDaily = limit.tokens_per_day !== null || limit.usd_per_day !== null;
      if (!booksDaily && pending.log_rows < Math.min(quota, LIMITS.log_rows_booked)) return;
      const logged = await flush(name);
      if (logged !== null && logged >= quota) full.add(name);
    },
    refusalToStore(key): Grant | null {
      const { stored_bytes: quota } = limitOf(limits, key);
      const reset_s = quota === null ? null : storage.secondsUntilSpace(key ?? OPEN, quota);
      if (quota === null || reset_s === null) return null;
      const state = { limit: "stored_bytes", quota, remaining: 0, reset_s } as const;
      return { refused_by: "stored_bytes", retry_after_s: reset_s, limits: [state] };
    },
    async store(key, bytes, until): Promise<void> {
      const { stored_bytes: quota } = limitOf(limits, key);
      if (quota !== null) await storage.book(key ?? OPEN, quota, bytes, until);
    },
  };
}
