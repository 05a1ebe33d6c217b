// The Durable Object that counts one key's usage. The rules are in ledger.ts and stored-bytes.ts.
import { DurableObject } from "cloudflare:workers";
import { systemClock } from "../../platform/clock.ts";
import type { Grant, KeyLimit } from "../../ports/key-limits.ts";
import { durableValues } from "../storage/durable.ts";
import { type CountersStub, EMPTY_LEDGER, grant, held, type LedgerState, type Spending, settled } from "./ledger.ts";
import { type StoredChanges, type StoredSlots, type StoredTotal, totalOf, withChanges } from "./stored-bytes.ts";

const KEPT = "ledger";
const STORED = "stored";

/**
 * Counts the usage of one key. Methods are atomic because they do not await between read and write, and the
 * platform sends a reply only once the write is stored.
 */
export class KeyCounters extends DurableObject implements CountersStub {
  readonly #values = durableValues(this.ctx);
  #state: LedgerState | null = null;

  async ask(limit: KeyLimit, lease: string, spending: Spending): Promise<Grant> {
    const now = systemClock.now();
    const result = grant(settled(this.#read(), spending, now), limit, lease, now);
    this.#write(result.state);
    return result.grant;
  }

  async book(spending: Spending): Promise<number> {
    const state = settled(this.#read(), spending, systemClock.now());
    this.#write(state);
    return state.log_rows;
  }

  async holdLease(lease: string, until: number, spending: Spending): Promise<void> {
    this.#write(held(settled(this.#read(), spending, systemClock.now()), lease, until));
  }

  async store(changes: StoredChanges): Promise<StoredTotal> {
    const now = systemClock.now();
    const slots = withChanges(this.#values.get<StoredSlots>(STORED) ?? {}, changes, now);
    if (changes.length > 0) this.#values.set(STORED, slots);
    return totalOf(slots, now);
  }

  #read(): LedgerState {
    this.#state ??= { ...EMPTY_LEDGER, ...this.#values.get<LedgerState>(KEPT) };
    return this.#state;
  }

  #write(state: LedgerState): void {
    this.#state = state;
    this.#values.set(KEPT, state);
  }
}
