// The journal of one group: questions already answered and questions in flight, shared by early judging and
// judgements so that no question is asked twice.
import { LIMITS } from "../../core/faults/limits.ts";
import type { ReadingJournal } from "../../scoring/reading-journal.ts";
import type { JournalRow, RoomStore } from "./room-store.ts";

/** One instance per group, shared by all its judgements. */
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

  /** Drops all later results. */
  end(): void {
    this.#ended = true;
  }

  /**
   * The journal for early judging. The cost of readings from an earlier judgement is in that judgement's log
   * entry.
   */
  ofEarly(requestId: string): ReadingJournal {
    return { ...this.#journalFor(requestId, { early: true }), early: true };
  }

  /**
   * The journal for judging the whole group. `early` returns how many of the reused generations were asked
   * before the group was complete.
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
    // If the object restarts between the log entry and the answers, the judgement is repeated with the same
    // result under the same id.
    const onScored = () => {
      if (this.#ended) return;
      // Skips questions that were answered after all.
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
        // No client waits for early questions, so their rows are flushed later and delay no reward.
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
