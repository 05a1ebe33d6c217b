// The guarantees for a sample of whose prompt no other has come: it has no reward, and whoever asks for it
// again may yet get one.
import { describe, expect, it } from "vitest";
import { arrive } from "../../src/objects/gathering/arrivals.ts";
import type { AnswerState, GroupState } from "../../src/objects/gathering/group-state.ts";
import { begin, finish } from "../../src/objects/gathering/judgement.ts";
import { closesAt, dueGroups } from "../../src/objects/gathering/room-times.ts";
import { arrivalOf, emptyRoom } from "./gathering-setup.ts";

describe("a sample", () => {
  it("that was alone is gathered again when it is repeated, with whoever comes while it waits", () => {
    const state = emptyRoom();
    const times = { group_size: 3, window_ms: 20_000 };
    arrive(state, arrivalOf("a", "a", times), 0);
    const judge = (now: number, answers: AnswerState[]) => {
      const [{ group, closed } = { group: null, closed: null }] = dueGroups(state, now);
      begin(group as GroupState, "r", closed as "window", now);
      return finish(group as GroupState, answers, new Set(), now).waiters.map(({ waiter_id }) => waiter_id);
    };
    expect(judge(20_000, ["alone"])).toEqual(["a"]);
    expect(arrive(state, arrivalOf("again", "a", times), 21_000)).toEqual({
      kind: "placed",
      place: { epoch: 0, member: 0, added: false, attached: true, ready: false },
    });
    expect(closesAt(state)).toBe(41_000);
    arrive(state, arrivalOf("b", "b", times), 30_000);
    expect(state.groups[0]?.members.map(({ late }) => late)).toEqual([false, false]);
    expect(closesAt(state)).toBe(41_000);
    expect(judge(41_000, ["reward", "reward"])).toEqual(["again", "b"]);
  });

  it("that was alone, and is repeated when another has come, closes its group in time as that one does", () => {
    const state = emptyRoom();
    const times = { group_size: 3, window_ms: 20_000 };
    arrive(state, arrivalOf("a", "a", times), 0);
    const [{ group } = { group: null }] = dueGroups(state, 20_000);
    begin(group as GroupState, "r", "deadline", 20_000);
    finish(group as GroupState, ["alone"], new Set(), 20_000);
    arrive(state, arrivalOf("b", "b", { ...times, tries: 10 }), 21_000);
    expect(closesAt(state)).toBe(null);
    arrive(state, arrivalOf("again", "a", times), 21_500);
    expect(closesAt(state)).toBe(41_500);
    expect(dueGroups(state, 41_500)).toMatchObject([{ scores: false, closed: "deadline" }]);
  });

  it("that is a whole group by itself is told so at once", () => {
    const state = emptyRoom();
    arrive(state, arrivalOf("a", "a", { group_size: 1 }), 0);
    const [{ group } = { group: null }] = dueGroups(state, 0);
    begin(group as GroupState, "r", "full", 0);
    finish(group as GroupState, ["alone"], new Set(), 0);
    expect(arrive(state, arrivalOf("again", "a", { group_size: 1 }), 1)).toMatchObject({ place: { ready: true } });
  });
});
