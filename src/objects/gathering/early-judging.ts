// Early judging: asks questions about an incomplete group, but only those that do not depend on the samples
// still missing.

import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { isRepetition } from "./group.ts";
import { GroupJournal } from "./group-journal.ts";
import type { GroupState, Judgement } from "./group-state.ts";
import { closing } from "./group-times.ts";
import { judgementOf } from "./judgement.ts";
import type { RoomParts } from "./room-listing.ts";

/** The functions of a room that early judging uses. */
interface EarlyParts {
  parts(): RoomParts;
  /** Runs work in the background. */
  run(requestId: string, work: Promise<void>): void;
  /** Requests a flush within `withinMs`, because the journal has unsaved rows. */
  onWrite(withinMs: number): void;
}

/** State of the early judging of one group. */
interface GroupBegun {
  journal: GroupJournal;
  /** Number of members that the questions have covered so far. */
  members: number;
  passes: Set<AbortController>;
  /** Cancels the next scheduled pass; null if none is scheduled. */
  cancel: (() => void) | null;
}

export class EarlyJudging {
  readonly #room: EarlyParts;
  /** Groups that are being judged early, by epoch. */
  readonly #groups = new Map<number, GroupBegun>();

  constructor(room: EarlyParts) {
    this.#room = room;
  }

  /**
   * Schedules early judging if members have joined since the last pass. The short delay lets simultaneous
   * arrivals share one pass, and avoids early judging if the whole group arrives at once.
   */
  look(group: GroupState): void {
    if (!this.#isDue(group)) return;
    const begun = this.#groupFor(group.epoch);
    begun.cancel ??= this.#room.parts().timers.after(LIMITS.room_flush_ms, () => {
      begun.cancel = null;
      if (this.#isDue(group)) this.#begin(group, begun);
    });
  }

  /** The journal for judging all current members; its `early` counts the reused early generations. */
  whole({ epoch }: GroupState, { request_id, answer_by }: Judgement) {
    const { journal, passes } = this.#groupFor(epoch);
    const abort = () => {
      for (const pass of passes) pass.abort("deadline");
    };
    const left_ms = answer_by - this.#room.parts().timers.now();
    const after_ms = Math.max(0, left_ms - Math.min(LIMITS.deadline_reserve_ms, left_ms / 10));
    const cancel = passes.size === 0 ? () => {} : this.#room.parts().timers.after(after_ms, abort);
    return { ...journal.ofWhole(request_id), end: cancel };
  }

  /** Stops the early judging of a group. */
  stop(epoch: number): void {
    const begun = this.#groups.get(epoch);
    if (begun === undefined) return;
    this.#groups.delete(epoch);
    begun.journal.end();
    begun.cancel?.();
    for (const pass of begun.passes) pass.abort("cancelled");
  }

  stopAll(): void {
    for (const epoch of [...this.#groups.keys()]) this.stop(epoch);
  }

  #groupFor(epoch: number): GroupBegun {
    const begun = this.#groups.get(epoch) ?? {
      journal: new GroupJournal(this.#room.parts().store, epoch, (ms) => this.#room.onWrite(ms)),
      members: 0,
      passes: new Set(),
      cancel: null,
    };
    this.#groups.set(epoch, begun);
    return begun;
  }

  #isDue(group: GroupState): boolean {
    const { epoch, members, judged, judging, telling_apart, size, whole_only, refused } = group;
    const { store, early, timers } = this.#room.parts();
    const gathers = judging === null && !telling_apart && members.length > judged;
    const asked = this.#groups.get(epoch)?.members ?? 0;
    if (early === undefined || !gathers || members.length < 2 || members.length <= asked) return false;
    if (isRepetition(group) || (whole_only && refused.length > 0)) return false;
    // If the group is about to close, early judging would gain nothing.
    if ((closing(group)?.at ?? Infinity) <= timers.now() + LIMITS.room_flush_ms) return false;
    const subject = store.subject();
    return subject !== null && early.allows(subject.spec, size);
  }

  #begin(group: GroupState, begun: GroupBegun): void {
    const { store, early, timers, nextRequestId } = this.#room.parts();
    group.scored_as ??= nextRequestId();
    store.saveGroup(group);
    const { request_id, members, answer_by } = judgementOf(group, group.scored_as, "full", timers.now());
    begun.members = members;
    const pass = new AbortController();
    begun.passes.add(pass);
    const deadline_ms = Math.max(1, answer_by - timers.now());
    const cancel = timers.after(deadline_ms, () => pass.abort("deadline"));
    const subject = store.subject();
    const asking = early?.ask({
      request_id,
      subject: subject as NonNullable<typeof subject>,
      members: store.members(group.epoch, members),
      deadline_ms,
      journal: begun.journal.ofEarly(request_id),
      signal: pass.signal,
    });
    const ended = () => {
      cancel();
      begun.passes.delete(pass);
    };
    this.#room.run(request_id, Promise.resolve(asking).catch(unlessRefused).finally(ended));
  }
}

/** Error handler that ignores an ApiError, which the judgement of the whole group will report. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
