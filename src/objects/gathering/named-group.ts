// A group that the client names, fills position by position, and closes explicitly. It is judged once it is
// full or closed, and the reply is stored.

import type { Rollout } from "../../core/contract/group.ts";
import type { GroupResult } from "../../core/contract/group-reply.ts";
import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { isMendable } from "../../core/faults/mendable.ts";
import { within } from "../../platform/waiting.ts";
import { EarlyJudging } from "./early-judging.ts";
import type { GroupClosing, NamedMembers, NamedState } from "./gathering.ts";
import { addMember, isFull, openGroup } from "./group.ts";
import type { GroupState, Judgement } from "./group-state.ts";
import { addStored } from "./group-storage.ts";
import { incompleteWarnings } from "./incomplete.ts";
import { begin, finish, resume } from "./judgement.ts";
import { LaterFlush } from "./later-flush.ts";
import { faultReply, GATHERING, type GatheringFault } from "./reply.ts";
import { beginWith, type RoomParts, releaseStored } from "./room-listing.ts";
import { type MemberContent, passingStore, type RoomSubject } from "./room-store.ts";
import { scoredReply } from "./scored-answers.ts";
import { namedSubjectOf, requireSameRollouts, requireSameSubject } from "./subject.ts";

/** Replies are plain data, like `RoomReply`, because errors lose their class between isolates. */
export type AddReply = { added: NamedState } | { fault: GatheringFault };
export type CloseReply = { reply: RewardsReply; retry_after_ms: number | null } | { fault: GatheringFault };

const UNKNOWN: GatheringFault = {
  code: "not_found",
  detail: "This key has no group with this id and at least one member. A group expires after an hour without requests.",
  errors: [],
  headers: {},
};

/** The only group of its Durable Object. A member's `body_hash` holds its position in the group. */
export class NamedGroup {
  #parts: RoomParts;
  readonly #group: GroupState;
  readonly #early: EarlyJudging;
  readonly #storing: LaterFlush;
  #judging: Promise<CloseReply> | null = null;
  /** Resolves with an error when the group is deleted, for requests that wait for the reply. */
  readonly #forgotten = Promise.withResolvers<CloseReply>();

  /** Restores the stored state and resumes a judgement that a restart interrupted. */
  constructor(parts: RoomParts) {
    this.#parts = parts;
    this.#storing = new LaterFlush(() => this.#parts.store.flush(), parts.timers);
    this.#early = new EarlyJudging({
      parts: () => this.#parts,
      run: (id, work) => void work.catch((error) => this.#parts.report(faultLine(error, id))),
      onWrite: (within_ms) => this.#storing.within(within_ms),
    });
    this.#group = parts.store.groups()[0] ?? openGroup(0, { group_size: null, whole_only: true });
    const judgement = resume(this.#group, parts.timers.now());
    if (judgement !== null) void this.#start(judgement);
  }

  /** Whether the group has expired, so that its owner may delete it and its storage. */
  get isEmpty(): boolean {
    return this.#judging === null && this.#parts.timers.now() >= this.#group.forget_at;
  }

  /** Adds and stores all members. If any of them is invalid, adds none and returns the error. */
  add(members: NamedMembers): AddReply {
    try {
      this.#place(members);
      this.#proceed();
      return { added: this.#state(members) };
    } catch (error) {
      return faultReply(error, members.request_id, this.#parts.report);
    }
  }

  /** Closes the group and resolves with the result of its judgement, which may already be running. */
  async close({ deadline_ms }: Pick<GroupClosing, "deadline_ms">): Promise<CloseReply> {
    const group = this.#group;
    if (group.members.length === 0) return { fault: UNKNOWN };
    group.forget_at = this.#parts.timers.now() + LIMITS.named_group_kept_ms;
    this.#book();
    const reply = this.#judging === null ? this.#parts.store.reply() : null;
    // A reply that contains retryable failures is not reused; the group is judged again.
    if (reply !== null && !isMendable(reply)) return { reply, retry_after_ms: null };
    if (this.#judging === null) Object.assign(group, { size: group.members.length, judge_ms: deadline_ms });
    return Promise.race([this.#judging ?? this.#begin(), this.#forgotten.promise]);
  }

  /** Deletes the group. Waiting requests receive the error `gathering`, and running work is discarded. */
  forget(): void {
    this.#early.stopAll();
    releaseStored(this.#parts);
    this.#forgotten.resolve({ fault: GATHERING });
    this.#parts = { ...this.#parts, store: passingStore(this.#parts.timers) };
  }

  /** Starts whatever is due. Resolves when no judgement is running, at the latest after room_alarm_ms. */
  async wake(): Promise<void> {
    this.#proceed();
    if (this.#judging !== null) await within(this.#parts.timers, LIMITS.room_alarm_ms, this.#judging, () => undefined);
    this.#storing.flush();
  }

  #state({ group_id, size }: NamedMembers): NamedState {
    const { members, judged } = this.#group;
    const over = judged === members.length ? "judged" : "gathering";
    return { group_id, members: members.length, size, state: this.#judging === null ? over : "judging" };
  }

  #place(members: NamedMembers): void {
    const { rollouts, position, request_id, size, deadline_ms } = members;
    const { store, storage, timers } = this.#parts;
    const group = this.#group;
    requireSameSubject(store.subject(), namedSubjectOf(members));
    const taken = group.members.some(
      ({ body_hash }) => +body_hash >= position && +body_hash < position + rollouts.length,
    );
    const known = taken ? this.#contents() : new Map<number, MemberContent>();
    requireSameRollouts(
      rollouts.map((_, i) => known.get(position + i)?.rollout),
      rollouts,
    );
    const fresh = rollouts.flatMap((rollout, i) => (known.has(position + i) ? [] : [{ at: position + i, rollout }]));
    if (fresh.length === 0) return;
    if (isFull(group)) throw closed(members, fresh[0] as (typeof fresh)[number]);
    storage.requireSpace(members.key_name);
    let bytes = beginWith(namedSubjectOf(members), request_id, this.#parts);
    for (const { at, rollout } of fresh) {
      const who = { waiter_id: request_id, body_hash: `${at}`, group_size: size, tries: 1, patience_ms: 0 };
      const times = { window_ms: 0, answer_within_ms: deadline_ms, retain_ms: LIMITS.named_group_kept_ms };
      const place = addMember(group, { ...who, ...times, takes_failure: false, whole_only: true }, timers.now());
      addStored(group, bytes + store.addMember(0, place, { rollout, language: members.language }));
      bytes = 0;
    }
    // Members have no waiters, since only the request that closes the group waits.
    Object.assign(group, { size, waiters: [], judge_ms: deadline_ms });
  }

  /** The current members by position. */
  #contents(): Map<number, MemberContent> {
    const { members } = this.#group;
    const contents = this.#parts.store.members(0, members.length);
    return new Map(members.map(({ body_hash }, i) => [Number(body_hash), contents[i] as MemberContent]));
  }

  #book(): void {
    const { store, storage } = this.#parts;
    storage.book(store.subject()?.key_name ?? null, this.#group);
  }

  #proceed(): void {
    const { store, timers } = this.#parts;
    const group = this.#group;
    this.#book();
    if (this.#judging === null && isFull(group) && group.members.length > group.judged) return void this.#begin();
    this.#early.look(group);
    store.saveGroup(group);
    store.wakeAt(this.#judging === null ? group.forget_at : timers.now() + LIMITS.room_check_ms);
    this.#storing.flush();
  }

  #begin(): Promise<CloseReply> {
    const { timers, nextRequestId } = this.#parts;
    return this.#start(begin(this.#group, this.#group.scored_as ?? nextRequestId(), "full", timers.now()));
  }

  #start(judgement: Judgement): Promise<CloseReply> {
    const { store, timers } = this.#parts;
    store.saveGroup(this.#group);
    store.wakeAt(timers.now() + LIMITS.room_check_ms);
    this.#storing.flush();
    this.#judging = this.#judge(judgement).finally(() => {
      this.#judging = null;
    });
    return this.#judging;
  }

  /**
   * Judges the group and stores the reply. Errors are returned as `fault`, so the promise does not reject.
   */
  async #judge(judgement: Judgement): Promise<CloseReply> {
    const outcome = await this.#scored(judgement);
    const { store, timers } = this.#parts;
    const hasReply = "reply" in outcome;
    finish(
      this.#group,
      this.#group.members.map(() => (hasReply ? "reward" : "failed")),
      new Set(),
      timers.now(),
    );
    this.#book();
    this.#early.stop(0);
    if (hasReply) store.saveReply(outcome.reply);
    if (hasReply && !isMendable(outcome.reply)) store.dropJournal(0);
    store.saveGroup(this.#group);
    store.wakeAt(this.#group.forget_at);
    this.#storing.flush();
    return outcome;
  }

  async #scored(judgement: Judgement): Promise<CloseReply> {
    const { store, report } = this.#parts;
    try {
      const subject = store.subject() as RoomSubject;
      const { group_id, size } = subject.named as NonNullable<RoomSubject["named"]>;
      const placed = [...this.#contents()].sort(([a], [b]) => a - b);
      const { reply, early, retry_after_ms } = await scoredReply(this.#parts, this.#early, this.#group, judgement, {
        ...{ logs: true, subject, group_id, members: placed.map(([, content]) => content) },
        warnings: incompleteWarnings({ ...judgement, size, late: false }),
      });
      const [only] = reply.groups as [GroupResult];
      const positions = placed.map(([at]) => at);
      return { reply: { ...reply, groups: [{ ...only, positions, early }] }, retry_after_ms };
    } catch (error) {
      return faultReply(error, judgement.request_id, report);
    }
  }
}

function closed({ position }: NamedMembers, { at }: { at: number; rollout: Rollout }): ApiError {
  const path = `rollouts[${at - position}]`;
  const message = `position ${at} cannot be added: the group is closed or already has all its members`;
  return new ApiError("group_closed", `${path}: ${message}.`, { errors: [{ path, message }] });
}
