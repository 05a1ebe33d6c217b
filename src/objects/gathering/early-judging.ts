// Early judging: asks those questions about an incomplete group that do not depend on the members still
// missing.

import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { systemClock } from "../../platform/clock.ts";
import { closing, isRepetition, judgementOf } from "./group.ts";
import { GroupJournal } from "./group-journal.ts";
import type { GroupState, Judgement } from "./group-state.ts";
import type { RoomParts } from "./room-listing.ts";

/** The dependencies that a room provides. */
interface EarlyParts {
  parts(): RoomParts;
  /** Runs the work in the background. */
  run(requestId: string, work: Promise<void>): void;
  /** Reports that the journal has unsaved rows, to be flushed within `withinMs`. */
  onWrite(withinMs: number): void;
}

/** Early judging of one group. */
interface GroupBegun {
  journal: GroupJournal;
  /** Number of members covered by the questions so far. */
  members: number;
  passes: Set<AbortController>;
  /** Cancels the next scheduled check. */
  cancel: (() => void) | null;
}

export class EarlyJudging {
  readonly #room: EarlyParts;
  /** Keyed by epoch. */
  readonly #groups = new Map<number, GroupBegun>();

  constructor(room: EarlyParts) {
    this.#room = room;
  }

  /**
   * Schedules early judging if members have joined since the last time. A short delay lets simultaneous
   * arrivals share a pass, and a group that arrives all at once is judged as a whole.
   */
  look(group: GroupState): void {
    if (!this.#isDue(group)) return;
    const begun = this.#groupFor(group.epoch);
    begun.cancel ??= systemClock.after(LIMITS.room_flush_ms, () => {
      begun.cancel = null;
      if (this.#isDue(group)) this.#begin(group, begun);
    });
  }

  /** The journal for judging all current members, with the number of early generations that were reused. */
  whole({ epoch }: GroupState, { request_id, answer_by }: Judgement) {
    const { journal, passes } = this.#groupFor(epoch);
    const abort = () => {
      for (const pass of passes) pass.abort("deadline");
    };
    const left_ms = answer_by - this.#room.parts().now();
    const after_ms = Math.max(0, left_ms - Math.min(LIMITS.deadline_reserve_ms, left_ms / 10));
    const cancel = passes.size === 0 ? () => {} : systemClock.after(after_ms, abort);
    return { ...journal.ofWhole(request_id), end: cancel };
  }

  /** Stops early judging of a group. */
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
    const { store, early, now } = this.#room.parts();
    const gathers = judging === null && !telling_apart && members.length > judged;
    const asked = this.#groups.get(epoch)?.members ?? 0;
    if (early === undefined || !gathers || members.length < 2 || members.length <= asked) return false;
    if (isRepetition(group) || (whole_only && refused.length > 0)) return false;
    // A group that closes this soon is judged as a whole.
    if ((closing(group)?.at ?? Infinity) <= now() + LIMITS.room_flush_ms) return false;
    const subject = store.subject();
    return subject !== null && early.allows(subject.spec, size);
  }

  #begin(group: GroupState, begun: GroupBegun): void {
    const { store, early, now, nextRequestId } = this.#room.parts();
    group.scored_as ??= nextRequestId();
    store.saveGroup(group);
    const { request_id, members, answer_by } = judgementOf(group, group.scored_as, "full", now());
    begun.members = members;
    const pass = new AbortController();
    begun.passes.add(pass);
    const deadline_ms = Math.max(1, answer_by - now());
    const cancel = systemClock.after(deadline_ms, () => pass.abort("deadline"));
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

/** Ignores an ApiError: the judgement of the whole group reports it. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
