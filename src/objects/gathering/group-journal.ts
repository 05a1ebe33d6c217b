// The journal of one group: the questions that are answered or in flight. Early judging and judgements share
// it, so that no question is asked twice.
import { LIMITS } from "../../core/faults/limits.ts";
import type { ReadingJournal } from "../../scoring/reading-journal.ts";
import type { JournalRow, RoomStore } from "./room-store.ts";

/** A group's journal. There is one instance per group, shared by all judgements of the group. */
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

  /** Closes the journal: results that arrive later are discarded. */
  end(): void {
    this.#ended = true;
  }

  /** The journal for early judging. */
  ofEarly(requestId: string): ReadingJournal {
    return this.#journalFor(requestId, { early: true });
  }

  /**
   * The journal for judging the whole group. `early` returns the number of reused generations that were
   * requested before the group was complete.
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
    // Stores failures too, so that a judgement repeated after a restart has the same result as the log entry
    // that was already written under its id.
    const onScored = () => {
      if (this.#ended) return;
      // Skips questions that early judging has answered in the meantime.
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
        // No client waits for early questions, so their rows are flushed later in order not to delay rewards.
        this.#onWrite(mark.early === true ? LIMITS.room_flush_ms : LIMITS.room_journal_flush_ms);
        this.#settle(key);
      },
      onFailed: () => {},
      onScored: () => {},
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
