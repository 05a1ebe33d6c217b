// The counters of keys in memory, for tests: as the Durable Object keeps them, at one moment of time, with a
// log of the calls.
import {
  type CountersStub,
  EMPTY_LEDGER,
  grant,
  held,
  type LedgerState,
  settled,
} from "../../../src/objects/key-limits/ledger.ts";
import { type StoredSlots, totalOf, withChanges } from "../../../src/objects/key-limits/stored-bytes.ts";

const NOW = 20_000 * 86_400_000;

/** Counters of every key. `booked` resolves with the next call that only books. */
export function memoryCounters() {
  const states = new Map<string, LedgerState>();
  const stored = new Map<string, StoredSlots>();
  const calls: string[] = [];
  const leases: { lease: string; until: number }[] = [];
  let told: (() => void)[] = [];
  const getByName = (name: string): CountersStub => {
    const after = (spending: Parameters<CountersStub["book"]>[0]) =>
      settled(states.get(name) ?? EMPTY_LEDGER, spending, NOW);
    return {
      async ask(limit, lease, spending) {
        calls.push("ask");
        const result = grant(after(spending), limit, lease, NOW);
        states.set(name, result.state);
        return result.grant;
      },
      async book(spending) {
        calls.push("book");
        const state = after(spending);
        states.set(name, state);
        for (const tell of told) tell();
        told = [];
        return state.log_rows;
      },
      async holdLease(lease, until, spending) {
        calls.push("hold");
        leases.push({ lease, until });
        states.set(name, held(after(spending), lease, until));
      },
      async store(changes) {
        calls.push("store");
        stored.set(name, withChanges(stored.get(name) ?? {}, changes, Date.now()));
        return totalOf(stored.get(name) ?? {}, Date.now());
      },
    };
  };
  const booked = () => new Promise<void>((resolve) => told.push(resolve));
  return { getByName, states, stored, calls, leases, booked };
}
