// Client for the Durable Objects that count each key's usage. Makes at most one call per request before
// admission, which also reports the usage of earlier requests.

import { LIMITS } from "../../core/faults/limits.ts";
import { fail, pause, within } from "../../platform/waiting.ts";
import type { Grant, KeyLimit, KeyLimits, KeyUse } from "../../ports/key-limits.ts";
import type { Timers } from "../../ports/ports.ts";
import type { CountersNamespace, CountersStub } from "./ledger.ts";
import { limitOf, type Spending } from "./ledger.ts";
import { createStorageAccounts, type StoredChanges } from "./stored-bytes.ts";

interface KeyLimitsOptions {
  limits: ReadonlyMap<string, KeyLimit>;
  counters: CountersNamespace;
  timers: Timers;
  /** Called when the counters did not answer, in which case the request is admitted. */
  onUnreachable: () => void;
}

interface Pending extends KeyUse {
  ended: string[];
}

/** Maximum number of ended leases that are buffered while the counters are unreachable. */
const ENDED_KEPT_MAX = 4_096;

/** Name of the counters for all callers of a deployment without API keys; not a valid key name. */
const OPEN = "(open)";

/** Buffers the isolate's unreported usage and sends it along with each call to the counters. */
function bookkeeping({ counters, timers, onUnreachable }: Omit<KeyLimitsOptions, "limits">) {
  const pendings = new Map<string, Pending>();

  function pendingOf(name: string): Pending {
    const known = pendings.get(name) ?? { ended: [], tokens: 0, usd: 0, log_rows: 0 };
    pendings.set(name, known);
    return known;
  }

  /** Takes the buffered usage out of the buffer, to be sent with a call. */
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
    // A call that is merely late may still record the usage, so it is buffered again only if the call fails.
    sent.catch(() => {
      pending.tokens += spending.tokens;
      pending.usd += spending.usd;
      pending.log_rows += spending.log_rows;
    });
    try {
      return await within(timers, LIMITS.key_limits_timeout_ms, sent, fail("late"));
    } catch {
      // Ended leases can always be reported again, because ending a lease is idempotent. Leases beyond the
      // buffer's limit expire by themselves.
      pending.ended = [...spending.ended, ...pending.ended].slice(-ENDED_KEPT_MAX);
      onUnreachable();
      return null;
    }
  }

  /**
   * Reports the buffered usage after key_limits_flush_ms. Each request starts its own timer, because a Worker
   * must not await another request's timer.
   * @returns the number of rows that the key has logged today; null if there was nothing to report
   */
  async function flush(name: string): Promise<number | null> {
    await pause(timers, LIMITS.key_limits_flush_ms);
    const { ended, tokens, usd, log_rows } = pendingOf(name);
    if (ended.length === 0 && tokens === 0 && usd === 0 && log_rows === 0) return null;
    return call(name, (stub, spending) => stub.book(spending));
  }

  return { pendingOf, call, flush };
}

/**
 * Enforces limits with one counter object per key. A request waits for one call to the counters; its usage is
 * recorded by the next request's call, or by a separate call if no request follows soon. If the counters do
 * not answer within key_limits_timeout_ms, the request is admitted, since a short time without limits does
 * less harm than refusing every trainer. If a key has only the limit for log rows, its requests wait for no
 * call until this isolate learns that the limit is reached.
 */
export function createKeyLimits({ limits, counters, timers, onUnreachable }: KeyLimitsOptions): KeyLimits {
  const { pendingOf, call, flush } = bookkeeping({ counters, timers, onUnreachable });
  /** Name of the key's counters if the key has a concurrency limit; otherwise null. */
  const placesOf = (key: string | null) => (limitOf(limits, key).concurrency === null ? null : (key ?? OPEN));
  /** Keys that have reached their limit for log rows. The limit is checked until a request is granted. */
  const full = new Set<string>();
  /** Whether the key has a limit that every request must check. The limit for log rows is in `full`. */
  const asks = ({ rpm, tokens_per_day, usd_per_day, concurrency }: KeyLimit) =>
    [rpm, tokens_per_day, usd_per_day, concurrency].some((limit) => limit !== null);
  const send = (name: string, changes: StoredChanges) => counters.getByName(name).store(changes);
  const storage = createStorageAccounts(send, timers, onUnreachable);

  return {
    async admit(key, lease, judges): Promise<Grant | null> {
      const limit = limitOf(limits, key);
      const name = key ?? OPEN;
      if (!asks(limit) && !full.has(name)) return null;
      // Requests that do not judge, such as reads and deletions, add no log rows.
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
      // Releases the lease even if its call timed out; otherwise it would occupy a slot until it expires.
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
      // A small number of rows is reported with the next call, because it does not justify a separate one.
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
