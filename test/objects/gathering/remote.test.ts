// The guarantees of reaching a room over calls that can break.
import { beforeEach, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { GatheredReward } from "../../../src/objects/gathering/gathering.ts";
import { createRemoteRooms, type RoomStub } from "../../../src/objects/gathering/remote.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";
import { never, sampleOf } from "./setup.ts";

let time: VirtualTime;
beforeEach(() => {
  time = new VirtualTime();
});

/** Calls that samples do not make. */
const NO_NAMED = { add: () => Promise.reject(), close: () => Promise.reject() };
const answer = { request_id: "judged" } as GatheredReward;

function rooms(join: RoomStub["join"], leaving?: Promise<void>) {
  const left: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const leave = async (id: string) => {
    left.push(id);
    await leaving;
  };
  const stub = { join: vi.fn(join), leave, forget: async () => undefined, ...NO_NAMED };
  const report = (line: Record<string, unknown>) => void lines.push(line);
  const remote = createRemoteRooms({ getByName: () => stub }, { timers: time.clock, report });
  return { remote, stub, left, lines };
}

it("a call that breaks is made again with the same waiter and the time that is left", async () => {
  let broken = 2;
  const { remote, stub } = rooms(async () => {
    if (broken-- > 0) throw new Error("the object was reset");
    return { reward: answer };
  });
  const sample = sampleOf("a", { answer_within_ms: 10_000 });
  const got = remote.join(sample, never());
  expect(await time.until(got)).toBe(answer);
  const sent = stub.join.mock.calls.map(([{ waiter_id, answer_within_ms }]) => [waiter_id, answer_within_ms]);
  expect(sent).toEqual([10_000, 9_950, 9_850].map((left) => [sample.waiter_id, left]));
});

it("a room that stays out of reach is a fault that a retry can mend, after a bounded number of calls", async () => {
  const { remote, stub, lines } = rooms(() => Promise.reject(new Error("secret text")));
  const got = expect(remote.join(sampleOf("a"), never())).rejects.toMatchObject({ code: "not_ready" });
  await time.until(got);
  expect(stub.join).toHaveBeenCalledTimes(LIMITS.room_join_tries_max);
  expect(lines).toMatchObject([{ event: "room_unreachable", name: "Error" }]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

it("a room that does not answer is left at the deadline and when the client goes, and neither makes a number", async () => {
  const { remote, left } = rooms(() => new Promise(() => {}));
  const late = sampleOf("a", { answer_within_ms: 1_000 });
  const gone = sampleOf("b");
  const client = new AbortController();
  const ends = Promise.all([remote.join(late, never()), remote.join(gone, client.signal)]);
  client.abort();
  await time.advance(1_000);
  expect(await ends).toMatchObject([
    { result: { reward: null, error: "deadline" }, request_id: late.waiter_id, logged: false, members: 0 },
    { result: { reward: null, error: "cancelled" }, request_id: gone.waiter_id },
  ]);
  expect(left.sort()).toEqual([late.waiter_id, gone.waiter_id].sort());
});

it("a room that does not even hear of the leaving keeps nobody beyond the deadline for long", async () => {
  const stuck = new Promise<never>(() => {});
  const { remote, left } = rooms(() => stuck, stuck);
  const sample = sampleOf("a", { answer_within_ms: 1_000 });
  const got = remote.join(sample, never());
  await time.advance(1_000 + LIMITS.room_leave_ms);
  expect(await got).toMatchObject({ result: { reward: null, error: "deadline" } });
  expect(left).toEqual([sample.waiter_id]);
});

it("a call that broke is not made again for a client that left meanwhile", async () => {
  const client = new AbortController();
  const { remote, stub } = rooms(() => Promise.reject(new Error("the object was reset")));
  const got = remote.join(sampleOf("a"), client.signal);
  await time.advance(LIMITS.room_join_backoff_ms / 2);
  client.abort();
  expect((await time.until(got)).result.error).toBe("cancelled");
  expect(stub.join).toHaveBeenCalledTimes(1);
});
