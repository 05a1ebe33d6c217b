// The guarantees of a room's decisions, over random histories of arrivals, retries, twins, leaves, closes,
// judgements and restarts.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { arrive, leave, type MemberSlot, settle, settleable } from "../../src/objects/gathering/arrivals.ts";
import type { AnswerState, GroupState, RoomState } from "../../src/objects/gathering/group-state.ts";
import { begin, finish, resume } from "../../src/objects/gathering/judgement.ts";
import { closesAt, dueGroups, forget, restoredRoom, wakesAt } from "../../src/objects/gathering/room-times.ts";
import fc from "../harness/property.ts";
import { arrivalOf, emptyRoom } from "./gathering-setup.ts";

/**
 * A logical sample of a trainer: at most one connection of it is open; a retry comes when the last
 * one was cut.
 */
interface Sample {
  body: string;
  connection: string | null;
  answered: boolean;
}

/** A million of them: `expect` would take longer than all else. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

type Step =
  | { do: "send" | "retry" | "leave" | "overtaken"; at: number; noticed: boolean }
  | { do: "wait"; ms: number }
  | { do: "judge"; fails: boolean }
  | { do: "restart" };

/**
 * The world around a room: clients, their connections, and judgements that end when the history
 * says so.
 */
class World {
  room: RoomState = emptyRoom();
  now = 1_000_000;
  samples: Sample[] = [];
  /** Connections whose client has gone, noticed or not. */
  cut = new Set<string>();
  answers = new Map<string, number>();
  /** The end of each connection's time; a longer waiter is answered so and gone. */
  deadlines = new Map<string, number>();
  #connections = 0;
  readonly size: number | null;

  constructor(size: number | null) {
    this.size = size;
  }

  connect(sample: Sample): void {
    const id = `c${this.#connections++}`;
    sample.connection = id;
    this.arrive(sample, id);
  }

  /** A connection that was cut on its way, and arrives after the sample's retry. */
  overtaken(sample: Sample): void {
    const id = `c${this.#connections++}`;
    this.cut.add(id);
    this.arrive(sample, id);
  }

  arrive(sample: Sample, id: string): void {
    this.deadlines.set(id, this.now + 40_000);
    const arrived = arrive(this.room, arrivalOf(id, sample.body, { group_size: this.size }), this.now);
    if (arrived.kind === "placed") this.place(id, arrived.place);
    else for (const lost of arrived.lost) leave(this.room, lost);
    this.proceed();
  }

  place(id: string, place: MemberSlot | null): void {
    if (place?.ready) this.answer(id);
  }

  /**
   * Equal requests of a group, in order: those whose clients have gone leave, the others settle.
   */
  tellApart(group: GroupState): void {
    const gone = [...group.waiters.map(({ waiter_id }) => waiter_id), ...this.undecided()];
    for (const id of gone) if (this.cut.has(id)) leave(this.room, id);
    for (const id of this.undecided()) this.place(id, settle(this.room, id, this.now));
  }

  undecided(): string[] {
    return this.room.undecided.map(({ arrival }) => arrival.waiter_id);
  }

  answer(id: string): void {
    this.answers.set(id, (this.answers.get(id) ?? 0) + 1);
    for (const sample of this.samples) if (sample.connection === id && !this.cut.has(id)) sample.answered = true;
  }

  proceed(): void {
    for (let changed = true; changed; ) {
      const settled = settleable(this.room);
      for (const id of settled) this.place(id, settle(this.room, id, this.now));
      const due = dueGroups(this.room, this.now);
      for (const { group, scores, closed } of due) {
        if (scores) this.tellApart(group);
        else begin(group, `r${group.epoch}`, closed, this.now);
      }
      changed = settled.length + due.length > 0;
    }
    forget(this.room, this.now);
  }

  judge(fails: boolean): void {
    const group = this.room.groups.find(({ judging }) => judging !== null);
    if (group === undefined) return;
    const { members } = group.judging as NonNullable<GroupState["judging"]>;
    const state: AnswerState = fails ? "failed" : members === 1 ? "alone" : "reward";
    const doubted = new Set(this.room.undecided.map(({ arrival }) => arrival.body_hash));
    const { waiters } = finish(group, Array(members).fill(state), doubted, this.now);
    for (const { waiter_id } of waiters) this.answer(waiter_id);
    for (const waiter of group.waiters.filter(({ member }) => member < members)) {
      if (this.cut.has(waiter.waiter_id)) leave(this.room, waiter.waiter_id);
      else {
        group.waiters = group.waiters.filter((other) => other !== waiter);
        (group.members[waiter.member] as GroupState["members"][number]).told_at = this.now;
        this.answer(waiter.waiter_id);
      }
    }
    this.proceed();
  }

  restart(): void {
    this.room = restoredRoom(JSON.parse(JSON.stringify(this.room.groups)), this.now);
    for (const group of this.room.groups) resume(group, this.now);
    for (const sample of this.samples) {
      const id = sample.connection;
      if (id === null || sample.answered || this.cut.has(id)) continue;
      const back = arrive(this.room, arrivalOf(id, sample.body, { group_size: this.size }), this.now);
      if (back.kind === "placed" && back.place.ready) this.answer(id);
    }
    this.proceed();
  }

  wait(ms: number): void {
    this.now += ms;
    for (const [id, deadline] of this.deadlines) {
      if (deadline > this.now || this.answers.has(id) || this.cut.has(id)) continue;
      this.cut.add(id);
      leave(this.room, id);
    }
  }

  take(step: Step): void {
    if (step.do === "wait") this.wait(step.ms);
    if (step.do === "judge") this.judge(step.fails);
    if (step.do === "restart") this.restart();
    if (step.do === "send") {
      const sample: Sample = { body: `body ${step.at % 5}`, connection: null, answered: false };
      this.samples.push(sample);
      this.connect(sample);
    }
    const sample = "at" in step ? this.samples[step.at % Math.max(1, this.samples.length)] : undefined;
    if (step.do === "leave" && sample?.connection != null && !sample.answered) {
      this.cut.add(sample.connection);
      if (step.noticed) leave(this.room, sample.connection);
    }
    if (step.do === "overtaken" && sample?.connection != null) this.overtaken(sample);
    if (step.do === "retry" && sample?.connection != null && this.cut.has(sample.connection)) this.connect(sample);
    this.proceed();
    this.check();
  }

  check(): void {
    for (const body of new Set(this.samples.map((sample) => sample.body))) {
      const sent = this.samples.filter((sample) => sample.body === body).length;
      // A sample that comes when its equal has its answer is one again, and answered with that one's reward.
      const all = this.room.groups.flatMap((group) => group.members);
      const members = all.filter(({ body_hash, seen_before: again }) => body_hash === body && !again);
      must(members.length <= sent, "no more members than samples");
    }
    for (const group of this.room.groups) {
      const { members, judged, judging, waiters, size } = group;
      must(members.length <= (size ?? LIMITS.rollouts_per_group_max), "no more members than the size");
      must(judged <= (judging?.members ?? members.length), "no more judged than are judged now");
      must(
        waiters.every(({ member }) => member < members.length),
        "every waiter has a member",
      );
      must(
        members.slice(judged).every(({ answer }) => answer === "none"),
        "no answer before its judgement",
      );
    }
    must(
      [...this.answers.values()].every((times) => times === 1),
      "one answer a connection",
    );
    const closes = closesAt(this.room);
    must(closes === null || closes > this.now, "nothing is overdue");
    const idle = this.room.groups.length > 0 && !this.room.groups.some(({ judging }) => judging !== null);
    must(!idle || wakesAt(this.room) !== null, "whoever waits is woken");
  }
}

const at = fc.nat(40);
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("send" as const), at, noticed: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("retry" as const, "leave" as const, "overtaken" as const),
      at,
      noticed: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 500, 2_100, 25_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("judge" as const), fails: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

describe("any history", () => {
  it("answers every client that stays exactly once, and no retry ever adds a member", () => {
    const history = fc.array(steps, { maxLength: 60 });
    fc.assert(
      fc.property(fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }), history, (size, taken) => {
        const world = new World(size);
        for (const step of taken) world.take(step);
        for (let round = 0; round < 40; round++) {
          world.take({ do: "wait", ms: 2_100 });
          world.take({ do: "judge", fails: false });
        }
        for (const { connection } of world.samples) {
          if (connection !== null && !world.cut.has(connection)) expect(world.answers.get(connection)).toBe(1);
        }
        world.now += 10_000_000;
        world.proceed();
        expect(world.room.groups).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
