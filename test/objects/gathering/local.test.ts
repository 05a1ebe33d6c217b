// Owns the guarantees of rooms as their users see them, through the port, over the in-process
// implementation.
import { describe, expect, it, vi } from "vitest";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import type { RewardsRequest } from "../../../src/core/signals/requests.ts";
import { createLocalRooms } from "../../../src/objects/gathering/local.ts";
import { scoreBatch } from "../../../src/scoring/score-batch.ts";
import { fenced } from "../../api/routes/harness.ts";
import { preferring } from "../../harness/fakes.ts";
import { heldProbe, judgingDeps, never, sampleOf, specOf } from "./setup.ts";

const codes = (n: number) => Array.from({ length: n }, (_, i) => `x = ${"1".repeat(i + 1)}`);

function open(...given: Parameters<typeof judgingDeps>) {
  const deps = judgingDeps(...given);
  const rooms = createLocalRooms(deps);
  const join = (code: string, more: Parameters<typeof sampleOf>[1] = {}, signal = never()) =>
    rooms.join(sampleOf(code, more), signal);
  return { deps, rooms, join };
}

describe("a group", () => {
  it("of the announced size is judged at once, like one native request with the same members", async () => {
    const { deps, join } = open();
    const sixteen = codes(16);
    const got = await Promise.all(sixteen.map((code) => join(code, { group_size: 16, window_ms: 5000 })));
    const groups = [{ prompt: "p", rollouts: sixteen.map((code) => ({ text: fenced(code) })) }];
    const request: RewardsRequest = { spec: DEFAULT_SPEC, deadline_ms: 10_000, groups };
    const direct = await scoreBatch(deps, { request, spec: DEFAULT_SPEC, started_ms: 0, signal: never() });
    expect(got.map(({ result }) => result)).toEqual(direct.reply.groups[0]?.rollouts);
    expect(new Set(got.map(({ request_id }) => request_id)).size).toBe(1);
    for (const reward of got)
      expect(reward).toMatchObject({ members: 16, closed: "full", late: false, attached: false });
    const { entries } = deps.runLog;
    expect(entries).toHaveLength(1);
    const { request_id } = got[0] as (typeof got)[0];
    expect(entries[0]).toMatchObject({ request_id, run_id: "run", step: 3, key_name: "key", kind: "rewards" });
    expect(entries[0]?.groups[0]?.result.group_id).toBe("0123456789abcdef.0");
  });

  it("without a size is judged when the window has passed since the last member", async () => {
    const { join } = open();
    const got = await Promise.all(codes(3).map((code) => join(code)));
    expect(got.map(({ result }) => result.reward)).toEqual([0, 0.5, 1]);
    expect(got[0]).toMatchObject({ members: 3, closed: "window" });
  });

  it("is judged with who is there when half of the first waiter's time is over, and says so", async () => {
    const { deps, join } = open();
    const waits = { group_size: 4, window_ms: 5000, answer_within_ms: 200 };
    const got = await Promise.all(codes(3).map((code) => join(code, waits)));
    expect(got[0]).toMatchObject({ members: 3, closed: "deadline" });
    expect(got[2]?.result.reward).toBe(1);
    // So do the log's row, the run's steps and its alarm `group_incomplete`.
    expect(deps.runLog.entries.map(({ warnings }) => warnings)).toEqual([["group_incomplete: 3 of 4"]]);
    await join(codes(4)[3] as string, waits);
    expect(deps.runLog.entries[1]?.warnings).toEqual(["group_incomplete: 4 of 4, late"]);
  });

  it("of one has no reward but a code", async () => {
    const { join } = open();
    expect((await join("x")).result).toMatchObject({ reward: null, error: "group_too_small" });
  });

  it("of one that is asked for again gathers again, and its sample is judged with who comes then", async () => {
    const { join } = open();
    const waits = { group_size: 2, window_ms: 100 };
    expect((await join("a", waits)).result.error).toBe("group_too_small");
    const got = await Promise.all([join("a", { group_size: 2, window_ms: 5000 }), join("bb", waits)]);
    expect(got.map(({ result, members, attached, late }) => [result.reward, members, attached, late])).toEqual([
      [0, 2, true, false],
      [1, 2, false, false],
    ]);
  });

  it("that is full leaves the next sample to a group of its own", async () => {
    const { deps, join } = open();
    const two = { group_size: 2 };
    const got = await Promise.all(["a", "bb", "ccc", "dddd"].map((code) => join(code, two)));
    expect(got.map(({ result }) => result.reward)).toEqual([0, 1, 0, 1]);
    expect(deps.runLog.entries.map(({ groups }) => groups[0]?.result.group_id)).toEqual([
      "0123456789abcdef.0",
      "0123456789abcdef.1",
    ]);
  });

  it("refuses as a native request would, every member alike", async () => {
    const { join } = open();
    const listwise = { ...DEFAULT_SPEC.judge, mode: "listwise", schedule: "single_list" } as const;
    const six = codes(6).map((code) => join(code, { group_size: 6, spec: specOf({ judge: listwise }) }));
    for (const { reason } of (await Promise.allSettled(six)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ name: "ApiError", code: "list_too_long" });
      expect(reason.errors[0].message).toContain("list_candidates_max");
    }
  });
});

describe("a byte-identical request", () => {
  it("gets the answer that is there when its client went before it had it, and adds no member", async () => {
    const { deps, join } = open();
    const cut = new AbortController();
    const [, second] = await Promise.all(["a", "bb"].map((code) => join(code, { group_size: 2 }, cut.signal)));
    cut.abort();
    expect(await join("bb", { group_size: 2, window_ms: 60_000 })).toEqual({ ...second, attached: true });
    expect(deps.runLog.entries).toHaveLength(1);
  });

  it("whose client had the answer gets it again when nothing else comes, unasked and unlogged", async () => {
    const { deps, join } = open();
    const [, second] = await Promise.all(["a", "bb"].map((code) => join(code, { group_size: 2 })));
    expect(await join("bb", { group_size: 2, window_ms: 60_000 })).toEqual({ ...second, attached: true });
    expect([deps.runLog.entries.length, deps.verifier.jobs.length]).toEqual([1, 1]);
    // What was a repetition takes nobody in: the next samples are a group of their own.
    const next = await Promise.all(["ccc", "dddd"].map((code) => join(code, { group_size: 2 })));
    expect(next.map(({ members, late, result }) => [members, late, result.reward])).toEqual([
      [2, false, 0],
      [2, false, 1],
    ]);
  });

  it.each([0, 3, 7])(
    "an epoch later is a member of the new group, whether it comes first or as number %i",
    async (at) => {
      const { join } = open();
      const eight = { group_size: 8, window_ms: 60_000 };
      const first = codes(8);
      const epoch = await Promise.all(first.map((code) => join(code, eight)));
      expect(epoch.map(({ result }) => result.wins)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      // The one that repeats is the longest of both epochs; the others come a little after the
      // first.
      const second = Array.from({ length: 8 }, (_, i) => (i === at ? (first[7] as string) : `y${"y".repeat(i)}`));
      const [early, ...rest] = second as [string, ...string[]];
      const waiting = join(early, eight);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const got = await Promise.all([waiting, ...rest.map((code) => join(code, eight))]);
      expect(got.map(({ members, closed, attached }) => [members, closed, attached])).toEqual(
        Array(8).fill([8, "full", false]),
      );
      expect(got[at]?.result.wins).toBe(7);
    },
  );

  it("attaches to the sample whose client has gone, while the group gathers", async () => {
    const { join } = open();
    const client = new AbortController();
    const cut = join("a", { group_size: 2, window_ms: 5000 }, client.signal);
    client.abort();
    expect((await cut).result).toMatchObject({ reward: null, error: "cancelled" });
    const retry = join("a", { group_size: 2, window_ms: 5000 });
    const other = join("bb", { group_size: 2, window_ms: 5000 });
    expect(await retry).toMatchObject({ members: 2, attached: true, result: { reward: 0 } });
    expect(await other).toMatchObject({ members: 2, attached: false, result: { reward: 1 } });
  });

  it("is a second member when the first one's client proves to be there", async () => {
    const { rooms } = open();
    const alive = async () => true;
    const three = ["a", "a", "bb"].map((code) => rooms.join(sampleOf(code, { group_size: 3 }), never(), alive));
    expect((await Promise.all(three)).map(({ members, attached }) => [members, attached])).toEqual([
      [3, false],
      [3, false],
      [3, false],
    ]);
  });

  it("is refused as its twin is when the verifier has no reward for their text, and nobody had to prove anything", async () => {
    const { rooms, deps } = open(() => ({ error: "verifier_rejected" }));
    let probes = 0;
    const probe = async () => {
      probes++;
      return true;
    };
    const times = { group_size: 3, answer_within_ms: 2_000 };
    const three = ["a", "a", "bb"].map((code) => rooms.join(sampleOf(code, times), never(), probe));
    const errors = (await Promise.all(three)).map(({ result }) => [result.reward, result.error]);
    expect(errors).toEqual(Array(3).fill([null, "verifier_rejected"]));
    expect(probes).toBe(0);
    expect(deps.runLog.entries).toHaveLength(1);
  });

  it("costs the verifier nothing twice: what was asked before they were told apart is the judgement's", async () => {
    const { rooms, deps } = open();
    const alive = async () => true;
    const codes = ["a", "bb", "a", "ccc"];
    const four = codes.map((code) => rooms.join(sampleOf(code, { group_size: 4 }), never(), alive));
    const got = await Promise.all(four);
    expect(got.map(({ result }) => result.wins)).toEqual([0, 2, 0, 3]);
    expect(deps.verifier.jobs.map(({ questions }) => questions.length)).toEqual([3]);
    expect(deps.runLog.entries.map(({ groups }) => groups[0]?.result.verifier.generations)).toEqual([3]);
    expect(new Set(got.map(({ request_id }) => request_id)).size).toBe(1);
  });

  it("is a retry when the first one's client proves to be gone, and meanwhile the group waits for neither", async () => {
    const { rooms } = open();
    const { probe, asked, say } = heldProbe();
    const cut = new AbortController();
    const first = rooms.join(sampleOf("a", { group_size: 2, window_ms: 5000 }), cut.signal, probe);
    const retry = rooms.join(sampleOf("a", { group_size: 2, window_ms: 5000 }), never());
    await asked;
    say(false);
    const other = rooms.join(sampleOf("bb", { group_size: 2, window_ms: 5000 }), never());
    expect(await retry).toMatchObject({ members: 2, attached: true });
    expect((await other).members).toBe(2);
    cut.abort();
    await first;
  });

  it("that was cut on its way and arrives after its own retry is no member", async () => {
    const { deps, rooms } = open();
    const times = { group_size: 3, window_ms: 500 };
    const retry = rooms.join(sampleOf("a", times), never(), async () => true);
    const cut = new AbortController();
    const overtaken = rooms.join(sampleOf("a", times), cut.signal, async () => false);
    const other = rooms.join(sampleOf("bb", times), never(), async () => true);
    expect([await retry, await other].map(({ members, result }) => [members, result.ties])).toEqual([
      [2, 0],
      [2, 0],
    ]);
    expect(deps.runLog.entries[0]?.groups[0]?.rollouts).toHaveLength(2);
    cut.abort();
    expect((await overtaken).result).toMatchObject({ reward: null, error: "cancelled" });
  });

  it("that seemed to be a twin, in a group of its own, gets the reward of the sample it repeats when no other comes", async () => {
    const gate = Promise.withResolvers<void>();
    const { deps, rooms } = open(undefined, { gate: gate.promise });
    const times = { group_size: 2, window_ms: 200 };
    const seems = async () => true;
    const [a, b] = ["a", "bb"].map((code) => rooms.join(sampleOf(code, times), never(), seems));
    await expect.poll(() => deps.verifier.jobs.length).toBe(1);
    const retry = rooms.join(sampleOf("a", times), never(), seems);
    // The proof is a few microtasks; then it is a member of another group.
    await new Promise((resolve) => setImmediate(resolve));
    gate.resolve();
    expect([(await a)?.result.reward, (await b)?.result.reward]).toEqual([0, 1]);
    expect((await retry).result).toEqual((await a)?.result);
  });

  it("sixteen times at once is sixteen members, each client asked at most twice", async () => {
    const { rooms } = open();
    let probes = 0;
    const alive = async () => {
      probes++;
      return true;
    };
    const equal = Array.from({ length: 16 }, () => rooms.join(sampleOf("a", { group_size: 16 }), never(), alive));
    for (const { members, result } of await Promise.all(equal)) {
      expect(members).toBe(16);
      expect(result.ties).toBe(15);
    }
    expect(probes).toBeLessThanOrEqual(2 * 16);
  });

  it("after a failed judgement has it judged again, and asks only what failed", async () => {
    let broken = true;
    const better = preferring((candidate) => candidate.length);
    const { deps, join } = open((shown, about) =>
      broken && shown.some((text) => text.includes("ccc")) ? { error: "verifier_unavailable" } : better(shown, about),
    );
    const three = ["a", "bb", "ccc"].map((code) => join(code, { group_size: 3 }));
    const [a, , c] = await Promise.all(three);
    expect(a?.result).toMatchObject({ reward: null, error: "partial", losses: 1, undecided: 1 });
    expect(c?.result).toMatchObject({ reward: null, error: "verifier_unavailable" });
    broken = false;
    expect((await join("ccc", { group_size: 3 })).result).toMatchObject({ reward: 1, error: null });
    expect(deps.verifier.jobs.map(({ questions }) => questions.length)).toEqual([3, 2]);
    expect((await join("a", { group_size: 3 })).result).toMatchObject({ reward: 0, error: null, losses: 2 });
  });
});

describe("late samples", () => {
  it("are scored against the members judged already, and only new pairs are asked", async () => {
    const { deps, join } = open();
    const early = await Promise.all(["a", "bb"].map((code) => join(code)));
    const late = await Promise.all(["ccc", "dddd"].map((code) => join(code)));
    expect(early.map(({ late: isLate, members }) => [isLate, members])).toEqual(Array(2).fill([false, 2]));
    expect(late.map(({ late: isLate, members }) => [isLate, members])).toEqual(Array(2).fill([true, 4]));
    expect(late.map(({ result }) => result.wins)).toEqual([2, 3]);
    expect(deps.verifier.jobs.map(({ questions }) => questions.length)).toEqual([1, 5]);
    const costs = deps.runLog.entries.map(({ groups }) => groups[0]?.result.verifier.generations);
    expect(costs).toEqual([1, 5]);
  });

  it("that come while the group is judged wait for the judgement to end", async () => {
    const gate = Promise.withResolvers<void>();
    const { deps, join } = open(undefined, { gate: gate.promise });
    const early = ["a", "bb"].map((code) => join(code, { window_ms: 100 }));
    await expect.poll(() => deps.verifier.jobs.length).toBe(1);
    const late = join("ccc", { window_ms: 100 });
    gate.resolve();
    expect((await Promise.all(early))[0]).toMatchObject({ members: 2, late: false });
    expect(await late).toMatchObject({ members: 3, late: true, result: { reward: 1 } });
  });
});

describe("a waiter", () => {
  it("never waits beyond its time, and its retry gets the answer", async () => {
    const gate = Promise.withResolvers<void>();
    const { join } = open((shown, about) => preferring((text) => text.length)(shown, about), { gate: gate.promise });
    const short = { group_size: 2, window_ms: 5000, answer_within_ms: 1000 };
    const [a] = await Promise.all(["a", "bb"].map((code) => join(code, short)));
    expect(a?.result).toMatchObject({ reward: null, error: "deadline" });
    gate.resolve();
    expect((await join("a", { group_size: 2 })).result).toMatchObject({ reward: 0, error: null });
  });

  it("whose client went still counts for the others", async () => {
    const { join } = open();
    const client = new AbortController();
    const gone = join("ccc", { group_size: 3 }, client.signal);
    client.abort();
    await gone;
    const got = await Promise.all(["a", "bb"].map((code) => join(code, { group_size: 3 })));
    expect(got.map(({ result, members }) => [result.reward, members])).toEqual([
      [0, 3],
      [0.5, 3],
    ]);
  });

  it("is told when the log could not be written, and is answered all the same", async () => {
    const { deps, join } = open();
    deps.runLog.fault = new Error("down");
    const [a] = await Promise.all(["a", "bb"].map((code) => join(code, { group_size: 2 })));
    expect(a).toMatchObject({ logged: false, warnings: ["log_failed"], result: { reward: 0 } });
  });
});

it("a room forgets its answers when the client's whole retry horizon has passed, and not before", async () => {
  const { join } = open();
  const times = { group_size: 2, retain_ms: 60_000 };
  const clients = new AbortController();
  await Promise.all(["a", "bb"].map((code) => join(code, times, clients.signal)));
  clients.abort();
  vi.useFakeTimers({ now: Date.now() + 59_000, toFake: ["Date"] });
  expect(await join("a", times)).toMatchObject({ attached: true });
  vi.setSystemTime(Date.now() + 60_100);
  const again = await Promise.all(["a", "bb"].map((code) => join(code, times)));
  expect(again.map(({ attached }) => attached)).toEqual([false, false]);
  vi.useRealTimers();
});
