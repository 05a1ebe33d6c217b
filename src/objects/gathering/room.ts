// A room collects the samples of a group from separate requests, judges the group, and answers every waiter
// (open request). Independent of the runtime; the Durable Object adapter is durable.ts.

import { faultLine } from "../../core/faults/fault-line.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { pause, within } from "../../platform/waiting.ts";
import { earlierAnswers, orEarlier, refusals, stateOf } from "./answers.ts";
import { arrive, leave, type MemberSlot, refuse, settle, settleable } from "./arrivals.ts";
import { DeliveredReplies } from "./delivered-replies.ts";
import { type DuplicateResolution, resolveDuplicates } from "./duplicate-requests.ts";
import { EarlyJudging } from "./early-judging.ts";
import type { ClientProbe, GatheredSample } from "./gathering.ts";
import { isComplete, isRepetition } from "./group.ts";
import type { GroupState, Judgement, RoomState, WaiterState } from "./group-state.ts";
import { addStored } from "./group-storage.ts";
import { begin, finish, judgementOf, markDelivered, resume } from "./judgement.ts";
import { LaterFlush } from "./later-flush.ts";
import { OpenJoins } from "./open-joins.ts";
import { Prober } from "./probing.ts";
import { faultReply, GATHERING, type RoomReply } from "./reply.ts";
import { beginWith, type RoomParts, releaseStored } from "./room-listing.ts";
import { type Answer, passingStore } from "./room-store.ts";
import { closesAt, dueGroups, forget, forgetAll, letsGoAt, lettingGo, restoredRoom, wakesAt } from "./room-times.ts";
import { scoredAnswers } from "./scored-answers.ts";
import { contentOf, isRefusal, requireSameFacts, subjectOf } from "./subject.ts";
import { isLost, undecidedIn } from "./undecided.ts";

export class Room {
  #parts: RoomParts;
  readonly #state: RoomState;
  readonly #prober: Prober;
  readonly #joins = new OpenJoins();
  /** Running judgements, including preliminary ones that precede the resolution of duplicate requests. */
  readonly #judgements = new Set<Promise<void>>();
  /** Answers that were sent recently, by waiter. */
  readonly #delivered = new DeliveredReplies();
  #cancel: () => void = () => {};
  readonly #storing: LaterFlush;
  readonly #early: EarlyJudging;

  /** Restores the stored state and resumes judgements that a restart interrupted. */
  constructor(parts: RoomParts) {
    this.#parts = parts;
    this.#prober = new Prober(parts.timers);
    this.#storing = new LaterFlush(() => this.#parts.store.flush(), parts.timers);
    this.#early = new EarlyJudging({
      parts: () => this.#parts,
      run: (id, work) => this.#run(id, work),
      onWrite: (within_ms) => this.#storing.within(within_ms),
    });
    this.#state = restoredRoom(parts.store.groups(), parts.timers.now());
    for (const group of this.#state.groups) {
      const judgement = resume(group, parts.timers.now());
      if (judgement !== null) this.#start(group, judgement);
    }
    this.#proceed();
  }

  /** Whether the room is empty, so that its owner may delete it and its storage. */
  get isEmpty(): boolean {
    return this.#state.groups.length === 0 && this.#state.undecided.length === 0;
  }

  /** Resolves with the sample's answer, without a time limit. Joins with equal `waiter_id` share it. */
  join(sample: GatheredSample, probe: ClientProbe | null): Promise<RoomReply> {
    const { waiter_id } = sample;
    const join = this.#joins.open(waiter_id);
    this.#prober.add(waiter_id, probe);
    try {
      this.#forgetOver();
      requireSameFacts(this.#parts.store.subject(), sample);
      const arrived = arrive(this.#state, sample, this.#parts.timers.now(), () => this.#requireSpace(sample));
      if (arrived.kind === "placed") this.#take(sample, arrived.place);
      else {
        join.sample = sample;
        for (const lost of arrived.lost) void this.#awaitBack(lost);
      }
      this.#proceed();
    } catch (error) {
      this.#answer(waiter_id, faultReply(error, waiter_id, this.#parts.report));
      const group = isRefusal(error) && refuse(this.#state, sample);
      if (group) this.#parts.store.saveGroup(group);
      this.#proceed();
    }
    return join.reply;
  }

  /**
   * Handles the disconnect of a waiter's client. The sample stays in its group. If the answer was sent but
   * not received, it counts as undelivered.
   */
  leave(waiterId: string): void {
    this.#prober.drop(waiterId);
    this.#joins.drop(waiterId);
    const group = leave(this.#state, waiterId) ?? this.#delivered.takeBack(this.#state, waiterId);
    if (group !== null) this.#parts.store.saveGroup(group);
    this.#proceed();
  }

  /** Deletes all samples. Waiters receive the error `gathering`, and running work is discarded. */
  forget(): void {
    this.#joins.answerAll({ fault: GATHERING });
    this.#early.stopAll();
    releaseStored(this.#parts);
    forgetAll(this.#state);
    this.#cancel();
    this.#parts = { ...this.#parts, store: passingStore(this.#parts.timers) };
  }

  /** Starts whatever is due. Resolves when no judgement is running, at the latest after room_alarm_ms. */
  async wake(): Promise<void> {
    this.#proceed();
    const until = this.#parts.timers.now() + LIMITS.room_alarm_ms;
    for (let left_ms = LIMITS.room_alarm_ms; this.#judgements.size > 0 && left_ms > 0; ) {
      await within(this.#parts.timers, left_ms, Promise.all(this.#judgements), () => undefined);
      left_ms = until - this.#parts.timers.now();
    }
    this.#storing.flush();
  }

  /** Stores the sample in its slot, and sends the answer if it is already available. */
  #take(sample: GatheredSample, { epoch, member, added, attached, ready }: MemberSlot): void {
    const { store } = this.#parts;
    const group = this.#state.groups.find((other) => other.epoch === epoch) as GroupState;
    if (added) {
      const begun = beginWith(subjectOf(sample), sample.waiter_id, this.#parts);
      addStored(group, begun + store.addMember(epoch, member, contentOf(sample)));
    }
    const join = this.#joins.get(sample.waiter_id);
    if (join !== undefined) Object.assign(join, { attached, sample: null });
    if (ready) this.#send(group, { ...sample, member }, store.answer(epoch, member) as Answer);
    store.saveGroup(group);
  }

  /** Removes a waiter that was restored after a restart, unless its client soon joins again. */
  async #awaitBack(waiterId: string): Promise<void> {
    await pause(this.#parts.timers, LIMITS.room_rejoin_ms);
    if (isLost(this.#state, waiterId)) this.leave(waiterId);
  }

  #apart(): DuplicateResolution {
    return {
      state: this.#state,
      prove: (waiterId) => this.#prober.prove(waiterId),
      leave: (waiterId) => this.leave(waiterId),
      settle: (waiterId) => this.#settle(waiterId),
    };
  }

  /** Assigns an undecided request to a slot, now that it is known whether it is a retry. */
  #settle(waiterId: string): void {
    const sample = this.#joins.get(waiterId)?.sample ?? null;
    try {
      const place = settle(this.#state, waiterId, this.#parts.timers.now(), () => sample && this.#requireSpace(sample));
      if (place !== null && sample !== null) this.#take(sample, place);
    } catch (error) {
      this.#answer(waiterId, faultReply(error, waiterId, this.#parts.report));
    }
  }

  #requireSpace({ key_name }: GatheredSample): void {
    this.#parts.storage.requireSpace(key_name);
  }

  /** Judges groups that are due, deletes expired groups, and schedules the next wake-up. */
  #proceed(): void {
    const { store, storage, timers, nextRequestId } = this.#parts;
    const at = timers.now();
    this.#forgetOver();
    for (const waiter of settleable(this.#state)) this.#settle(waiter);
    for (const group of this.#state.groups) storage.book(store.subject()?.key_name ?? null, group);
    for (const { group, scores, closed } of dueGroups(this.#state, at)) {
      const id = group.scored_as ?? nextRequestId();
      if (scores) this.#scoreFirst(group, judgementOf(group, id, closed, at));
      else this.#start(group, begin(group, id, closed, at));
    }
    for (const group of this.#state.groups) this.#early.look(group);
    const { groups, waiters } = lettingGo(this.#state, at);
    for (const group of groups) store.saveGroup(group);
    for (const waiter of waiters) this.#answer(waiter, { fault: GATHERING });
    this.#cancel();
    const next = Math.min(closesAt(this.#state) ?? Infinity, letsGoAt(this.#state) ?? Infinity);
    if (next < Infinity) this.#cancel = timers.after(next - at, () => this.#proceed());
    const checks = this.#judgements.size > 0 ? at + LIMITS.room_check_ms : Infinity;
    const wakes = Math.min(wakesAt(this.#state) ?? Infinity, checks);
    store.wakeAt(wakes === Infinity ? null : wakes);
    this.#storing.within(LIMITS.room_flush_ms);
  }

  #forgetOver(): void {
    const over = forget(this.#state, this.#parts.timers.now());
    for (const epoch of over) this.#early.stop(epoch);
    for (const epoch of over) this.#parts.store.forget(epoch);
    this.#delivered.forget(over);
  }

  #start(group: GroupState, judgement: Judgement): void {
    this.#parts.store.saveGroup(group);
    this.#run(judgement.request_id, this.#judge(group, judgement));
  }

  #run(requestId: string, running: Promise<void>): void {
    const work = running
      .catch((error) => this.#parts.report(faultLine(error, requestId)))
      .finally(() => this.#judgements.delete(work));
    this.#judgements.add(work);
  }

  /**
   * Scores a group before its duplicate requests are resolved. Probing a client starts its HTTP reply, so
   * clients are probed only once their samples have rewards.
   */
  #scoreFirst(group: GroupState, judgement: Judgement): void {
    Object.assign(group, { scored_as: judgement.request_id, telling_apart: true });
    this.#parts.store.saveGroup(group);
    const { window_ends } = group;
    const probing = async () => {
      // No questions are needed for a single sample, or if all samples repeat judged ones.
      const certain = judgement.members === 1 || isRepetition(group);
      const answers = certain ? [] : await scoredAnswers(this.#parts, this.#early, group, judgement, false);
      for (const { waiter_id, reply } of refusals(undecidedIn(this.#state, group), group, answers)) {
        leave(this.#state, waiter_id);
        this.#answer(waiter_id, reply);
      }
      await resolveDuplicates(this.#apart(), undecidedIn(this.#state, group));
    };
    const probed = probing().finally(() => {
      Object.assign(group, { telling_apart: false, window_ends });
      this.#proceed();
    });
    this.#run(judgement.request_id, probed);
  }

  async #judge(group: GroupState, judgement: Judgement): Promise<void> {
    const { store, timers } = this.#parts;
    const judged = await this.#judgedAnswers(group, judgement);
    const hashes = group.members.map(({ body_hash }) => body_hash);
    const answers = judged.map((answer, i) => orEarlier(store, this.#state, answer, hashes[i] as string));
    const doubted = new Set(this.#state.undecided.map(({ arrival }) => arrival.body_hash));
    const { answered, waiters } = finish(group, answers.map(stateOf), doubted, timers.now());
    for (const member of answered) store.saveAnswer(group.epoch, member, answers[member] as Answer);
    this.#early.stop(group.epoch);
    if (isComplete(group)) store.dropJournal(group.epoch);
    store.saveGroup(group);
    // Stores answers before sending them, so that a repeated request never receives a different answer.
    this.#storing.flush();
    for (const waiter of waiters) this.#send(group, waiter, answers[waiter.member] as Answer);
    // Stores the delivery marks only after sending, so that a client that disconnects in between does not
    // lose its answer.
    store.saveGroup(group);
    this.#proceed();
    await Promise.all(group.waiters.map((waiter) => this.#sendProven(group, waiter)));
  }

  /**
   * Sends a reward that was held back because an equal request is unresolved, once the waiter's client has
   * proved to be connected.
   */
  async #sendProven(group: GroupState, waiter: WaiterState): Promise<void> {
    const { store } = this.#parts;
    if (group.members[waiter.member]?.answer !== "reward") return;
    const there = await this.#prober.prove(waiter.waiter_id);
    if (!group.waiters.includes(waiter)) return;
    if (!there) return this.leave(waiter.waiter_id);
    group.waiters = group.waiters.filter((other) => other !== waiter);
    this.#send(group, waiter, store.answer(group.epoch, waiter.member) as Answer);
    store.saveGroup(group);
    this.#proceed();
  }

  async #judgedAnswers(group: GroupState, judgement: Judgement): Promise<Answer[]> {
    const earlier = earlierAnswers(this.#parts.store, this.#state, group, judgement);
    if (earlier === null) return scoredAnswers(this.#parts, this.#early, group, judgement, true);
    for (const { waiter_id } of group.waiters) this.#joins.open(waiter_id).attached = true;
    return earlier;
  }

  /**
   * Sends an answer and marks it as delivered. If the client has disconnected, `leave` is called soon and
   * removes the mark.
   */
  #send(group: GroupState, waiter: Pick<WaiterState, "waiter_id" | "member" | "takes_failure">, answer: Answer): void {
    const { waiter_id, member } = waiter;
    const join = this.#joins.get(waiter_id);
    if (join === undefined) return;
    const at = this.#parts.timers.now();
    markDelivered(group, waiter, at);
    this.#delivered.add(waiter_id, group.epoch, member, at);
    this.#answer(waiter_id, "fault" in answer ? answer : { reward: { ...answer.reward, attached: join.attached } });
  }

  #answer(waiterId: string, reply: RoomReply): void {
    this.#joins.answer(waiterId, reply);
    this.#prober.drop(waiterId);
  }
}
