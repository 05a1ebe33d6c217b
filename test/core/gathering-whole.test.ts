// A group whose parts have no reward (`on_incomplete=error`): judged when all are there, whatever time passes
// and whoever leaves, and its waiters are let go by half of their deadline.
import { expect, it } from "vitest";
import { arrive, leave } from "../../src/objects/gathering/arrivals.ts";
import type { Arrival, GroupState } from "../../src/objects/gathering/group-state.ts";
import { begin, finish } from "../../src/objects/gathering/judgement.ts";
import { closesAt, dueGroups, letsGoAt, lettingGo } from "../../src/objects/gathering/room-times.ts";
import fc from "../harness/property.ts";
import { arrivalOf, emptyRoom } from "./gathering-setup.ts";

const WHOLE: Partial<Arrival> = { group_size: 3, whole_only: true, answer_within_ms: 48_000, window_ms: 24_000 };

it("a client that asks once is let go at half of its deadline, and a part of its group is never judged", () => {
  const state = emptyRoom();
  arrive(state, arrivalOf("w0", "b0", WHOLE), 0);
  arrive(state, arrivalOf("w1", "b1", { ...WHOLE, patience_ms: 48_000 }), 1_000);
  expect(closesAt(state)).toBeNull();
  expect(letsGoAt(state)).toBe(24_000);
  expect(lettingGo(state, 24_000).waiters).toEqual(["w0"]);
  expect(lettingGo(state, 25_000).waiters).toEqual(["w1"]);
  expect(dueGroups(state, 10_000_000)).toEqual([]);
});

it("a short window of one's own closes no such group", () => {
  const state = emptyRoom();
  arrive(state, arrivalOf("w0", "b0", { ...WHOLE, window_ms: 10 }), 0);
  expect(closesAt(state)).toBeNull();
  expect(dueGroups(state, 20_000)).toEqual([]);
});

it("is judged once, whole, in whatever order its samples come, leave and come again", () => {
  const step = fc.record({ member: fc.integer({ min: 0, max: 2 }), later: fc.integer({ min: 0, max: 60_000 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.constantFrom(1, 4, 10), (steps, tries) => {
      const state = emptyRoom();
      let [now, requests] = [0, 0];
      const judged: number[] = [];
      const last = new Map<number, string>();
      const proceed = () => {
        lettingGo(state, now);
        for (const { group, closed } of dueGroups(state, now)) {
          judged.push(group.members.length);
          begin(group as GroupState, "r", closed, now);
          finish(group as GroupState, ["reward", "reward", "reward"], new Set(), now);
        }
      };
      for (const { member, later } of [...steps, ...[0, 1, 2].map((member) => ({ member, later: 0 }))]) {
        now += later;
        proceed();
        // Its client's connection is cut before it asks again.
        leave(state, last.get(member) ?? "");
        last.set(member, `w${requests}`);
        arrive(state, arrivalOf(`w${requests++}`, `b${member}`, { ...WHOLE, tries }), now);
        proceed();
      }
      expect(judged.every((members) => members === 3)).toBe(true);
      expect(judged.length).toBeGreaterThan(0);
    }),
  );
});
