// Client for a key's counters: one call per request, which also reports the usage of earlier requests. Must
// not depend on routes or storage.

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
  /** Called when the counters did not answer; the request is admitted. */
  onUnreachable: () => void;
}

interface Pending extends KeyUse {
  ended: string[];
}

/** Maximum number of ended leases buffered while the counters are unreachable. */
const ENDED_KEPT_MAX = 4_096;

/** Name of the counters for callers of an open deployment; not a valid key name. */
const OPEN = "(open)";

/** Buffers one isolate's unreported usage and sends it along with each call. */
function bookkeeping({ counters, onUnreachable }: Pick<KeyLimitsOptions, "counters" | "onUnreachable">) {
  const pendings = new Map<string, Pending>();

  function pendingOf(name: string): Pending {
    const known = pendings.get(name) ?? { ended: [], tokens: 0, usd: 0, log_rows: 0 };
    pendings.set(name, known);
    return known;
  }

  /** Takes the buffered usage for a call; restored if the call fails. */
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
    // A late call may still book its usage, so the usage is restored only if the call fails.
    sent.catch(() => {
      pending.tokens += spending.tokens;
      pending.usd += spending.usd;
      pending.log_rows += spending.log_rows;
    });
    try {
      return await within(systemClock, LIMITS.key_limits_timeout_ms, sent, fail("late"));
    } catch {
      // Ending a lease is idempotent, so these are always reported again; the oldest ones expire by
      // themselves.
      pending.ended = [...spending.ended, ...pending.ended].slice(-ENDED_KEPT_MAX);
      onUnreachable();
      return null;
    }
  }

  /**
   * Reports buffered usage after key_limits_flush_ms. Each request uses its own timer, because a Worker must
   * not await another request's timer.
   * @returns the rows that the key has logged today; null if there was nothing to report
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
 * Limits enforced by one counter object per key. A request waits for one call; its usage is booked by the
 * next request's call, or by a separate call if none follows soon. If the counters are unreachable within
 * key_limits_timeout_ms, the request is admitted: the limits keep one key from using up the others' share,
 * and losing that for a while costs less than refusing every trainer. A key with only the log limit waits for
 * no call until this isolate learns that the limit is reached.
 */
export function createKeyLimits({ limits, counters, onUnreachable }: KeyLimitsOptions): KeyLimits {
  const { pendingOf, call, flush } = bookkeeping({ counters, onUnreachable });
  /** Name of the counters if the key has a concurrency limit; otherwise null. */
  const placesOf = (key: string | null) => (limitOf(limits, key).concurrency === null ? null : (key ?? OPEN));
  /** Keys that have reached their log limit; checked again with each request until one is granted. */
  const full = new Set<string>();
  /** Whether the key has a limit that each request must check; the log limit is tracked separately. */
  const asks = ({ rpm, tokens_per_day, usd_per_day, concurrency }: KeyLimit) =>
    [rpm, tokens_per_day, usd_per_day, concurrency].some((limit) => limit !== null);
  const storage = createStorageAccounts((name, changes) => counters.getByName(name).store(changes), onUnreachable);

  return {
    async admit(key, lease, judges): Promise<Grant | null> {
      const limit = limitOf(limits, key);
      const name = key ?? OPEN;
      if (!asks(limit) && !full.has(name)) return null;
      // Reads and deletions add no log rows.
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
      // Also releases a lease whose call timed out: otherwise it would occupy a slot until it expires.
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
      // Small numbers of rows wait for the next call, because a separate call would cost more than it
      // protects.
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
