// The guarantees of rooms as their users see them, through the port, over the in-process implementation.
import { describe, expect, it } from "vitest";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { BUILT_IN_DEFAULT } from "../../../src/core/reward/default-spec.ts";
import type { RewardsRequest } from "../../../src/core/reward/requests.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { scoreBatch } from "../../../src/scoring/score-batch.ts";
import { fenced } from "../../api/routes/harness.ts";
import { preferring } from "../../harness/fakes.ts";
import { inVirtualTime } from "../../harness/virtual-time.ts";
import { codes, open } from "./local-setup.ts";
import { never, specOf } from "./setup.ts";

describe("a group", () => {
  it("of the announced size is judged at once, like one native request with the same members", async () => {
    const { deps, join } = open();
    const sixteen = codes(16);
    const got = await Promise.all(sixteen.map((code) => join(code, { group_size: 16, window_ms: 5000 })));
    const groups = [{ prompt: "p", rollouts: sixteen.map((code) => ({ text: fenced(code) })) }];
    const request: RewardsRequest = { spec: BUILT_IN_DEFAULT, deadline_ms: 10_000, groups };
    const direct = await scoreBatch(deps, { request, spec: BUILT_IN_DEFAULT, started_ms: 0, signal: never() });
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
    await inVirtualTime(async (time) => {
      const { deps, join } = open(undefined, undefined, time.clock);
      const waits = { group_size: 4, window_ms: 5000, answer_within_ms: 200 };
      const got = await Promise.all(codes(3).map((code) => join(code, waits)));
      expect(got[0]).toMatchObject({ members: 3, closed: "deadline" });
      expect(got[2]?.result.reward).toBe(1);
      // So do the log's row, the run's steps and its alarm `group_incomplete`.
      expect(deps.runLog.entries.map(({ warnings }) => warnings)).toEqual([["group_incomplete: 3 of 4"]]);
      await join(codes(4)[3] as string, waits);
      expect(deps.runLog.entries[1]?.warnings).toEqual(["group_incomplete: 4 of 4, late"]);
    });
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
    const logged = deps.runLog.entries.map(({ groups }) => groups[0]?.result.group_id);
    expect(logged.sort()).toEqual(["0123456789abcdef.0", "0123456789abcdef.1"]);
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
    await inVirtualTime(async (time) => {
      const gate = Promise.withResolvers<void>();
      const longest = preferring((text) => text.length);
      const { join } = open(longest, { gate: gate.promise }, time.clock);
      const short = { group_size: 2, window_ms: 5000, answer_within_ms: 1000 };
      const [a] = await Promise.all(["a", "bb"].map((code) => join(code, short)));
      expect(a?.result).toMatchObject({ reward: null, error: "deadline" });
      gate.resolve();
      expect((await join("a", { group_size: 2 })).result).toMatchObject({ reward: 0, error: null });
    });
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
  let passed = 0;
  const { join } = open(undefined, undefined, { ...systemClock, now: () => systemClock.now() + passed });
  const times = { group_size: 2, retain_ms: 60_000 };
  const clients = new AbortController();
  await Promise.all(["a", "bb"].map((code) => join(code, times, clients.signal)));
  clients.abort();
  passed = 59_000;
  expect(await join("a", times)).toMatchObject({ attached: true });
  passed += 60_100;
  const again = await Promise.all(["a", "bb"].map((code) => join(code, times)));
  expect(again.map(({ attached }) => attached)).toEqual([false, false]);
});
