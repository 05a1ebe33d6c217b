// Owns asking a key's counters, wherever they are: one call a request that carries what its
// neighbours have spent. Must not know routes or storage.

import { LIMITS } from "../../core/faults/limits.ts";
import type { Grant, KeyLimit, KeyLimits } from "../../scoring/key-limits.ts";
import { fail, pause, within } from "../../scoring/waiting.ts";
import type { CountersNamespace, CountersStub } from "./ledger.ts";
import { limitOf, type Spending } from "./ledger.ts";

export interface KeyLimitsOptions {
  limits: ReadonlyMap<string, KeyLimit>;
  counters: CountersNamespace;
  /** A call that brought nothing; the request went through. */
  onUnreachable: () => void;
}

interface Pending {
  ended: string[];
  tokens: number;
}

/** Ended requests that are remembered while their counters cannot be told. */
const ENDED_KEPT_MAX = 4_096;

/** Name of the counters of an open deployment's callers: no key can be called so. */
const OPEN = "(open)";

/** What one isolate has to tell the counters, and the calls that take it along. */
function bookkeeping({ counters, onUnreachable }: Pick<KeyLimitsOptions, "counters" | "onUnreachable">) {
  const pendings = new Map<string, Pending>();

  function pendingOf(name: string): Pending {
    const known = pendings.get(name) ?? { ended: [], tokens: 0 };
    pendings.set(name, known);
    return known;
  }

  /** What a call takes along; it comes back when the call fails. */
  function take(pending: Pending): Spending {
    const { ended, tokens } = pending;
    pending.ended = [];
    pending.tokens = 0;
    return { ended, tokens };
  }

  async function call<T>(
    name: string,
    send: (stub: CountersStub, spending: Spending) => Promise<T>,
  ): Promise<T | null> {
    const pending = pendingOf(name);
    const spending = take(pending);
    const sent = (async () => send(counters.getByName(name), spending))();
    // A call that is only late books its tokens yet: they come back when it fails, and not before.
    sent.catch(() => {
      pending.tokens += spending.tokens;
    });
    try {
      return await within(LIMITS.key_limits_timeout_ms, sent, fail("late"));
    } catch {
      // Leases end once, however often that is told; the oldest run out by themselves.
      pending.ended = [...spending.ended, ...pending.ended].slice(-ENDED_KEPT_MAX);
      onUnreachable();
      return null;
    }
  }

  /** Each request waits for itself: in a Worker one must not wait for another's timer. */
  async function flush(name: string): Promise<void> {
    await pause(LIMITS.key_limits_flush_ms);
    const { ended, tokens } = pendingOf(name);
    if (ended.length > 0 || tokens > 0) await call(name, (stub, spending) => stub.book(spending));
  }

  return { pendingOf, call, flush };
}

/**
 * Limits kept by one counter object a key. A request waits for one call; what it spends is booked
 * by the next request's call, or by one of its own when none comes soon. Counters that cannot be
 * reached within key_limits_timeout_ms let the request through: they guard against one key using up
 * the others' share, and losing that for a while costs less than refusing every trainer.
 */
export function createKeyLimits({ limits, counters, onUnreachable }: KeyLimitsOptions): KeyLimits {
  const { pendingOf, call, flush } = bookkeeping({ counters, onUnreachable });
  /** The name of the counters where the key's requests at one time are limited. */
  const placesOf = (key: string | null) =>
    (limitOf(limits, key)?.concurrency ?? null) === null ? null : (key ?? OPEN);

  return {
    async admit(key, lease, judges): Promise<Grant | null> {
      const limit = limitOf(limits, key);
      if (limit === null) return null;
      const asked = judges ? limit : { ...limit, concurrency: null };
      return call(key ?? OPEN, (stub, spending) => stub.ask(asked, lease, spending));
    },
    async hold(key, lease, until): Promise<void> {
      const name = placesOf(key);
      if (name !== null) await call(name, (stub, spending) => stub.hold(lease, until, spending));
    },
    async release(key, lease): Promise<void> {
      const name = placesOf(key);
      if (name === null) return;
      // Also of a call that was only late: the lease that it left behind would hold a place until
      // it runs out.
      pendingOf(name).ended.push(lease);
      await flush(name);
    },
    spend(key, tokens): Promise<void> {
      const limit = limitOf(limits, key);
      if (limit === null || limit.tokens_per_day === null || tokens === 0) return Promise.resolve();
      const name = key ?? OPEN;
      pendingOf(name).tokens += tokens;
      return flush(name);
    },
  };
}
