import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { arrive, leave, settle, settleable } from "../../src/objects/gathering/arrivals.ts";
import type { Arrival, GroupState } from "../../src/objects/gathering/group-state.ts";
import { begin, finish } from "../../src/objects/gathering/judgement.ts";
import { closesAt, dueGroups, letsGoAt, lettingGo } from "../../src/objects/gathering/room-times.ts";
import { arrivalOf, emptyRoom } from "./gathering-setup.ts";

it("a retry of a retry, while the first one is not decided yet, adds no member either", () => {
  const state = emptyRoom();
  arrive(state, arrivalOf("first", "b"), 0);
  expect(arrive(state, arrivalOf("second", "b"), 1)).toEqual({ kind: "held", lost: [] });
  leave(state, "first");
  expect(settleable(state)).toEqual(["second"]);
  expect(arrive(state, arrivalOf("third", "b"), 2)).toEqual({ kind: "held", lost: [] });
  leave(state, "second");
  expect(settle(state, "second", 3)).toBeNull();
  expect(settleable(state)).toEqual(["third"]);
  expect(settle(state, "third", 3)).toMatchObject({ member: 0, added: false, attached: true });
  expect(state.groups[0]?.waiters.map(({ waiter_id }) => waiter_id)).toEqual(["third"]);
});

it("equal requests that are let go in turn each wait longer than the other's pause, and keep one place", () => {
  const state = emptyRoom();
  const times = { group_size: 3, tries: 10, answer_within_ms: 96_000, window_ms: 48_000 };
  arrive(state, arrivalOf("first", "b", times), 0);
  arrive(state, arrivalOf("second", "b", times), 100);
  expect(letsGoAt(state)).toBe(1_000);
  expect(lettingGo(state, 1_000).waiters).toEqual(["first"]);
  expect(settle(state, "second", 1_000)).toMatchObject({ member: 0, attached: true });
  // Twice the patience of a request that has no equal.
  expect(letsGoAt(state)).toBe(1_000 + 2_000);
  arrive(state, arrivalOf("third", "b", times), 2_000);
  expect(state.groups[0]?.members).toHaveLength(1);
});

describe("a judgement", () => {
  const room = (more: Partial<Arrival>[]) => {
    const state = emptyRoom();
    for (const [i, each] of more.entries()) arrive(state, arrivalOf(`w${i}`, `b${i}`, each), 0);
    return state;
  };

  it("must end in time for the first who still waits, and takes its own time when nobody does", () => {
    const state = room([{ answer_within_ms: 10_000 }, { answer_within_ms: 20_000 }]);
    leave(state, "w0");
    const [{ group, closed } = { group: null, closed: null }] = dueGroups(state, 2_000);
    expect(closed).toBe("window");
    expect(begin(group as GroupState, "r", "window", 2_000).answer_by).toBe(20_000);
    const empty = room([{ answer_within_ms: 10_000 }]);
    leave(empty, "w0");
    expect(begin(empty.groups[0] as GroupState, "r", "window", 2_000).answer_by).toBe(2_000 + 5_000);
  });

  it("begins when half of the first waiter's time is over, whoever is missing", () => {
    const state = room([
      { answer_within_ms: 10_000, window_ms: 9_000, group_size: 4 },
      { answer_within_ms: 10_000, window_ms: 9_000, group_size: 4 },
    ]);
    expect(closesAt(state)).toBe(5_000);
    expect(dueGroups(state, 4_999)).toEqual([]);
    expect(dueGroups(state, 5_000).map(({ closed }) => closed)).toEqual(["deadline"]);
  });

  it("by the window scores first while an equal arrival is not decided, and then takes it in", () => {
    const state = room([{}]);
    expect(arrive(state, arrivalOf("twin", "b0"), 1_900).kind).toBe("held");
    expect(dueGroups(state, 2_000)).toMatchObject([{ scores: true, closed: "window" }]);
    settle(state, "twin", 2_100);
    expect(dueGroups(state, 4_100).map(({ group, scores }) => [group.members.length, scores])).toEqual([[2, false]]);
  });

  it("of a group that an equal arrival would complete scores first", () => {
    const state = room([{ group_size: 3 }, { group_size: 3 }]);
    expect(dueGroups(state, 10)).toEqual([]);
    arrive(state, arrivalOf("twin", "b0", { group_size: 3 }), 20);
    expect(dueGroups(state, 20)).toMatchObject([{ scores: true, closed: "full" }]);
  });
});

describe("a sample after the judgement", () => {
  const judged = (size: number | null = null) => {
    const state = emptyRoom();
    for (const name of ["a", "b"]) arrive(state, arrivalOf(name, name, { group_size: size }), 0);
    const group = state.groups[0] as GroupState;
    begin(group, "r", "window", 2_000);
    finish(group, ["reward", "reward"], new Set(), 3_000);
    return state;
  };

  it("is late for as long as a client waits, then begins another group", () => {
    for (const [now, epoch] of [
      [3_000 + 50_000, 0],
      [3_000 + 50_001, 1],
    ] as const) {
      const state = judged();
      expect(arrive(state, arrivalOf("c", "c"), now)).toMatchObject({ place: { epoch, added: true } });
      expect(state.groups.at(-1)?.members.at(-1)?.late).toBe(epoch === 0);
    }
  });

  it("begins another group when its group was complete", () => {
    expect(arrive(judged(2), arrivalOf("c", "c", { group_size: 2 }), 3_001)).toMatchObject({ place: { epoch: 1 } });
  });

  it("is refused with the limit's name when the room is full", () => {
    const state = emptyRoom();
    for (let i = 0; i < LIMITS.room_members_max; i++) arrive(state, arrivalOf(`w${i}`, `b${i}`, { group_size: 64 }), 0);
    expect(() => arrive(state, arrivalOf("more", "more", { group_size: 64 }), 0)).toThrow("room_members_max = 4096");
  });
});
