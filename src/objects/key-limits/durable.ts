// Owns the Durable Object that counts what one key uses: its SQLite row and the calls it answers.
// Knows no rule; those are ledger.ts.
import { DurableObject } from "cloudflare:workers";
import type { Grant, KeyLimit } from "../../ports/key-limits.ts";
import { type CountersStub, EMPTY_LEDGER, grant, held, type LedgerState, type Spending, settled } from "./ledger.ts";

/**
 * One object a key name. Calls do not wait between reading and writing, so each is whole; the
 * platform sends a reply only once its write is stored.
 */
export class KeyCounters extends DurableObject implements CountersStub {
  #state: LedgerState | null = null;

  async ask(limit: KeyLimit, lease: string, spending: Spending): Promise<Grant> {
    const now = Date.now();
    const result = grant(settled(this.#read(), spending, now), limit, lease, now);
    this.#write(result.state);
    return result.grant;
  }

  async book(spending: Spending): Promise<number> {
    const state = settled(this.#read(), spending, Date.now());
    this.#write(state);
    return state.log_rows;
  }

  async hold(lease: string, until: number, spending: Spending): Promise<void> {
    this.#write(held(settled(this.#read(), spending, Date.now()), lease, until));
  }

  #read(): LedgerState {
    if (this.#state !== null) return this.#state;
    const { sql } = this.ctx.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY CHECK (id = 0), state TEXT NOT NULL)");
    const [row] = sql.exec<{ state: string }>("SELECT state FROM ledger").toArray();
    this.#state = row === undefined ? EMPTY_LEDGER : (JSON.parse(row.state) as LedgerState);
    return this.#state;
  }

  #write(state: LedgerState): void {
    this.#state = state;
    const text = JSON.stringify(state);
    this.ctx.storage.sql.exec(
      "INSERT INTO ledger VALUES (0, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state",
      text,
    );
  }
}
