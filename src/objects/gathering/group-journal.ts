// Defines what was asked of one group and what is being asked right now, for its judgements and for what
// begins before them.
import { LIMITS } from "../../core/faults/limits.ts";
import type { ReadingJournal } from "../../scoring/reading-journal.ts";
import type { JournalRow, RoomStore } from "./room-store.ts";

/** One for all that asks of a group at a time. */
export class GroupJournal {
  readonly #store: RoomStore;
  readonly #epoch: number;
  readonly #onWrite: (withinMs: number) => void;
  readonly #rows: Map<string, JournalRow>;
  readonly #asking = new Map<string, PromiseWithResolvers<void>>();
  #ended = false;

  constructor(store: RoomStore, epoch: number, onWrite: (withinMs: number) => void) {
    this.#store = store;
    this.#epoch = epoch;
    this.#onWrite = onWrite;
    this.#rows = store.journal(epoch);
  }

  /** Results from now on are dropped. */
  end(): void {
    this.#ended = true;
  }

  /**
   * As scoring wants it. What an earlier judgement asked is in that one's log entry, at its cost.
   */
  ofEarly(requestId: string): ReadingJournal {
    return { ...this.#journalFor(requestId, { early: true }), early: true };
  }

  /**
   * The same for all of the group; `early` is how many generations that it took were asked before
   * the group was complete.
   */
  ofWhole(requestId: string): { journal: ReadingJournal; early: () => number } {
    const taken = new Map<string, number>();
    const failed = new Map<string, JournalRow>();
    const { known, ...others } = this.#journalFor(requestId, {});
    const counting = (key: string) => {
      const row = this.#rows.get(key);
      if (row?.early) taken.set(key, row.readings.length);
      return known(key);
    };
    const early = () => [...taken.values()].reduce((sum, count) => sum + count, 0);
    const onFailed = (key: string, readings: JournalRow["readings"]) =>
      void failed.set(key, { request_id: requestId, readings, failed: true });
    // A life that ends between its log entry and the answers is followed by one that comes to the
    // same, under the same id.
    const onScored = () => {
      if (this.#ended) return;
      // Unless it was answered after all.
      for (const [key, row] of failed) if (known(key) === undefined) this.#keep(key, row);
      this.#store.flush();
    };
    return { journal: { ...others, known: counting, onFailed, onScored }, early };
  }

  #journalFor(requestId: string, mark: Pick<JournalRow, "early">): ReadingJournal {
    return {
      known: (key) => {
        const row = this.#rows.get(key);
        const charged = row?.request_id === requestId;
        return row === undefined || (row.failed && !charged) ? undefined : { readings: row.readings, charged };
      },
      onReadings: (key, readings) => {
        if (this.#ended) return;
        this.#keep(key, { request_id: requestId, readings, ...mark });
        // No client waits for early questions, so their commits delay no reward.
        this.#onWrite(mark.early === true ? LIMITS.room_flush_ms : LIMITS.room_journal_flush_ms);
        this.#settle(key);
      },
      underWay: (key) => this.#asking.get(key)?.promise,
      asking: (keys) => {
        for (const key of keys) if (!this.#asking.has(key)) this.#asking.set(key, Promise.withResolvers());
        return () => {
          for (const key of keys) this.#settle(key);
        };
      },
    };
  }

  #keep(key: string, row: JournalRow): void {
    this.#rows.set(key, row);
    this.#store.addToJournal(this.#epoch, key, row);
  }

  #settle(key: string): void {
    this.#asking.get(key)?.resolve();
    this.#asking.delete(key);
  }
}
