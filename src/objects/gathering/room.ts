// Owns a room at work: joins and leaves into decisions, decisions into storage, judgements and
// answers. Knows no runtime: where it lives is given.

import { LIMITS } from "../../core/faults/limits.ts";
import { faultLine } from "../../scoring/report.ts";
import { within } from "../../scoring/waiting.ts";
import { answersOf, earlierAnswers, faultAnswers, stateOf } from "./answers.ts";
import type { ClientProbe, GatheredSample } from "./gathering.ts";
import { begin, finish, isComplete, resume, tell } from "./group.ts";
import type { GroupState, Judgement, WaiterState } from "./group-state.ts";
import type { JudgeGroup } from "./judge-group.ts";
import { Prober } from "./probing.ts";
import { type Fault, faultOf, GATHERING, type RoomReply } from "./reply.ts";
import { type Answer, type RoomStore, type RoomSubject, roomJournal } from "./room-store.ts";
import {
  arrive,
  closesAt,
  dueGroups,
  forget,
  leave,
  letsGoAt,
  lettingGo,
  type Place,
  type RoomState,
  restoredRoom,
  rewardedMember,
  settle,
  wakesAt,
} from "./rules.ts";
import { Told } from "./told.ts";

export interface RoomParts {
  store: RoomStore;
  judge: JudgeGroup;
  /** ms since 1970. */
  now(): number;
  nextRequestId(): string;
  report(line: Record<string, unknown>): void;
}

interface Waiting {
  reply: Promise<RoomReply>;
  resolve(reply: RoomReply): void;
  attached: boolean;
}

/** So much of a room's digest names its groups in the run log. */
const ROOM_CHARS = 16;

export class Room {
  readonly #parts: RoomParts;
  readonly #state: RoomState;
  readonly #prober = new Prober();
  readonly #waiting = new Map<string, Waiting>();
  /** By body: the settling of the last of several equal arrivals. */
  readonly #settling = new Map<string, Promise<void>>();
  readonly #judgements = new Set<Promise<void>>();
  /** The members that were answered last, by who got the answer. */
  readonly #told = new Told();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #flushing: { at: number; timer: ReturnType<typeof setTimeout> } | null = null;

  /** Takes up what the store holds, judgements that were broken off included. */
  constructor(parts: RoomParts) {
    this.#parts = parts;
    this.#state = restoredRoom(parts.store.groups(), parts.now());
    for (const group of this.#state.groups) {
      const judgement = resume(group, parts.now());
      if (judgement !== null) this.#start(group, judgement);
    }
    this.#proceed();
  }

  /** Nothing is left in it: whoever holds it may drop it, its storage included. */
  get isEmpty(): boolean {
    return this.#state.groups.length === 0 && this.#state.undecided.length === 0;
  }

  /** Resolves with the sample's answer, however long it takes; the same waiter_id shares it. */
  join(sample: GatheredSample, probe: ClientProbe | null): Promise<RoomReply> {
    const { waiter_id } = sample;
    this.#prober.add(waiter_id, probe);
    const { reply } = this.#wait(waiter_id);
    try {
      this.#forgetOver();
      const arrived = arrive(this.#state, sample, this.#parts.now());
      if (arrived.kind === "placed") this.#take(sample, arrived.place);
      else if (arrived.kind === "prove") this.#decide(sample, arrived.waiters);
    } catch (error) {
      this.#answer(waiter_id, this.#faultReply(error, waiter_id));
    }
    return reply;
  }

  /** The waiter's client has gone: an answer not yet told was told to nobody; its member stays. */
  leave(waiterId: string): void {
    this.#prober.drop(waiterId);
    this.#waiting.delete(waiterId);
    const group = leave(this.#state, waiterId) ?? this.#told.takeBack(this.#state, waiterId);
    if (group === null) return;
    this.#parts.store.saveGroup(group);
    this.#proceed();
  }

  /** Does what is due; resolves when no judgement is under way, or after room_alarm_ms. */
  async wake(): Promise<void> {
    this.#proceed();
    const until = this.#parts.now() + LIMITS.room_alarm_ms;
    for (let left_ms = LIMITS.room_alarm_ms; this.#judgements.size > 0 && left_ms > 0; ) {
      await within(left_ms, Promise.all(this.#judgements), () => undefined);
      left_ms = until - this.#parts.now();
    }
    this.#flush();
  }

  /** Sets the sample down where it belongs; answers at once when the answer is there. */
  #take(sample: GatheredSample, { epoch, member, added, attached, ready }: Place): void {
    const { store } = this.#parts;
    const { waiter_id, room, prompt, spec, run_id, step, key_name, rollout, language } = sample;
    if (added) {
      if (store.subject() === null) store.saveSubject({ room, prompt, spec, run_id, step, key_name });
      store.addMember(epoch, member, { rollout, language });
    }
    const group = this.#state.groups.find((other) => other.epoch === epoch) as GroupState;
    const waiting = this.#waiting.get(waiter_id);
    if (waiting !== undefined) waiting.attached = attached;
    if (ready) this.#tell(group, { ...sample, member }, store.answer(epoch, member) as Answer);
    store.saveGroup(group);
    this.#proceed();
  }

  /**
   * Asks the twins' clients and the newcomer's to prove that they are there; equal arrivals are
   * settled in the order in which they came.
   */
  #decide(sample: GatheredSample, twins: readonly string[]): void {
    const { body_hash, waiter_id } = sample;
    const proofs = [...twins, waiter_id].map(async (twin) => {
      if (!(await this.#prober.prove(twin))) this.leave(twin);
    });
    const settled = Promise.all([this.#settling.get(body_hash), ...proofs])
      .then(() => {
        const place = settle(this.#state, waiter_id, this.#parts.now());
        if (place === null) this.#proceed();
        else this.#take(sample, place);
      })
      .catch((error) => {
        this.#answer(waiter_id, this.#faultReply(error, waiter_id));
        // Groups that were held for it go on.
        this.#proceed();
      })
      .then(() => {
        if (this.#settling.get(body_hash) === settled) this.#settling.delete(body_hash);
      });
    this.#settling.set(body_hash, settled);
  }

  /** Judges what is due, forgets what is over, and arranges to be woken. */
  #proceed(): void {
    const { store, now, nextRequestId } = this.#parts;
    const at = now();
    this.#forgetOver();
    for (const { group, closed } of dueGroups(this.#state, at)) {
      this.#start(group, begin(group, nextRequestId(), closed, at));
    }
    for (const { group, waiters } of lettingGo(this.#state, at)) {
      store.saveGroup(group);
      for (const waiter of waiters) this.#answer(waiter, { fault: GATHERING });
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    const closes = closesAt(this.#state);
    // A group that is held past its time goes on when the last undecided arrival is settled.
    const held = closes !== null && closes <= at;
    const next = Math.min((held ? null : closes) ?? Infinity, letsGoAt(this.#state) ?? Infinity);
    if (next < Infinity) this.#timer = setTimeout(() => this.#proceed(), next - at);
    const wakes = held ? null : wakesAt(this.#state);
    const checks = held || this.#judgements.size > 0 ? at + LIMITS.room_check_ms : null;
    store.wakeAt(wakes === null && checks === null ? null : Math.min(wakes ?? Infinity, checks ?? Infinity));
    this.#flushWithin(LIMITS.room_flush_ms);
  }

  #forgetOver(): void {
    const over = forget(this.#state, this.#parts.now());
    for (const epoch of over) this.#parts.store.forget(epoch);
    this.#told.forget(over);
  }

  /**
   * Stores what has changed, a little later and all together: a commit on the way to the verifier
   * would cost the trainer more than a restart loses. A sample lost so comes again with its
   * request; a verdict lost so is asked again.
   */
  #flushWithin(ms: number): void {
    const at = this.#parts.now() + ms;
    if (this.#flushing !== null && this.#flushing.at <= at) return;
    if (this.#flushing !== null) clearTimeout(this.#flushing.timer);
    this.#flushing = { at, timer: setTimeout(() => this.#flush(), ms) };
  }

  #flush(): void {
    if (this.#flushing !== null) clearTimeout(this.#flushing.timer);
    this.#flushing = null;
    this.#parts.store.flush();
  }

  #start(group: GroupState, judgement: Judgement): void {
    this.#parts.store.saveGroup(group);
    const work = this.#judge(group, judgement)
      .catch((error) => this.#parts.report(faultLine(error, judgement.request_id)))
      .finally(() => this.#judgements.delete(work));
    this.#judgements.add(work);
  }

  async #judge(group: GroupState, judgement: Judgement): Promise<void> {
    const { store, now } = this.#parts;
    const judged = await this.#judgedAnswers(group, judgement);
    const answers = judged.map((answer, i) => this.#orEarlier(answer, group.members[i]?.body_hash as string));
    const { answered, waiters } = finish(group, answers.map(stateOf), now());
    for (const member of answered) store.saveAnswer(group.epoch, member, answers[member] as Answer);
    if (isComplete(group)) store.dropJournal(group.epoch);
    store.saveGroup(group);
    // An answer is safe before anybody has it, so that a repetition of the sample never gets
    // another.
    this.#flush();
    for (const waiter of waiters) this.#tell(group, waiter, answers[waiter.member] as Answer);
    // What was told is stored a little later than it is told: a client that was cut meanwhile shall
    // not lose its answer by it.
    store.saveGroup(group);
    this.#proceed();
  }

  /**
   * A sample that is alone, and equal to one with a reward, is that one's retry: its first client
   * only seemed to be there when it came (a proof that takes too long counts), and its group was
   * full.
   */
  #orEarlier(answer: Answer, bodyHash: string): Answer {
    if (stateOf(answer) !== "alone") return answer;
    const earlier = rewardedMember(this.#state, bodyHash);
    return (earlier && this.#parts.store.answer(earlier.epoch, earlier.member)) ?? answer;
  }

  async #judgedAnswers(group: GroupState, judgement: Judgement): Promise<Answer[]> {
    const { store, judge, now } = this.#parts;
    const { request_id, members, answer_by } = judgement;
    const earlier = earlierAnswers(store, this.#state, group, judgement);
    if (earlier !== null) {
      for (const { waiter_id } of group.waiters) this.#wait(waiter_id).attached = true;
      return earlier;
    }
    try {
      const subject = store.subject() as RoomSubject;
      const reply = await judge({
        request_id,
        group_id: `${subject.room.slice(0, ROOM_CHARS)}.${group.epoch}`,
        subject,
        members: store.members(group.epoch, members),
        deadline_ms: Math.max(1, answer_by - now()),
        journal: roomJournal(store, group.epoch, request_id, () => this.#flushWithin(LIMITS.room_journal_flush_ms)),
      });
      return answersOf(reply, group, judgement);
    } catch (error) {
      return faultAnswers(this.#faultReply(error, request_id).fault, judgement);
    }
  }

  /** A fault of the request as it is; anything else is reported and named `internal`. */
  #faultReply(error: unknown, id: string): { fault: Fault } {
    const fault = faultOf(error);
    if (fault.code === "internal") this.#parts.report(faultLine(error, id));
    return { fault };
  }

  /** A client that has gone by now says so soon (`leave`), and then nobody was told. */
  #tell(group: GroupState, waiter: Pick<WaiterState, "waiter_id" | "member" | "takes_failure">, answer: Answer): void {
    const { waiter_id, member } = waiter;
    const waiting = this.#waiting.get(waiter_id);
    if (waiting === undefined) return;
    const at = this.#parts.now();
    tell(group, waiter, at);
    this.#told.add(waiter_id, group.epoch, member, at);
    this.#answer(waiter_id, "fault" in answer ? answer : { reward: { ...answer.reward, attached: waiting.attached } });
  }

  #answer(waiterId: string, reply: RoomReply): void {
    this.#waiting.get(waiterId)?.resolve(reply);
    this.#waiting.delete(waiterId);
    this.#prober.drop(waiterId);
  }

  #wait(waiterId: string): Waiting {
    const known = this.#waiting.get(waiterId);
    if (known !== undefined) return known;
    const { promise: reply, resolve } = Promise.withResolvers<RoomReply>();
    const waiting = { reply, resolve, attached: false };
    this.#waiting.set(waiterId, waiting);
    return waiting;
  }
}
