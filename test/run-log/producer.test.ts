// Sending an entry to the queue: within its limits, in order, with bounded tries; and what a
// request does with the outcome.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { LogEntry } from "../../src/ports/log-entry.ts";
import { opened, sealed } from "../../src/run-log/write/envelope.ts";
import { createLogQueue } from "../../src/run-log/write/log-queue.ts";
import { entryRows } from "../../src/run-log/write/log-rows.ts";
import { completeJudging } from "../../src/scoring/complete-judging.ts";
import { appendEntry } from "../../src/scoring/log-append.ts";
import { setUp, twoRollouts } from "../api/routes/harness.ts";
import { fakeRunLog, fakeVerifier, fixedClock } from "../harness/fakes.ts";
import { sizedEntry } from "../port-contracts/log-entries.ts";
import { entries, fakeQueue } from "./sent.ts";

describe("an entry on its way to the queue", () => {
  it("of 4 MiB of texts is sent whole within the queue's limits, its head last", async () => {
    const queue = fakeQueue();
    const entry = sizedEntry({ run_id: "r", step: 0, groups: 8, size: 16 });
    const text = "\u00e4".repeat(LIMITS.logged_text_chars / 128);
    const groups = entry.groups.map((group) => ({
      ...group,
      rollouts: group.rollouts.map((rollout) => ({ ...rollout, text })),
    }));
    await createLogQueue(queue, systemClock).send({ ...entry, groups });
    expect(queue.bodies.length).toBeGreaterThan(60);
    expect([...queue.bodies].sort()).toEqual((sealed(entryRows({ ...entry, groups })) as string[]).sort());
    expect(opened(queue.bodies.at(-1) as string).head).not.toBeNull();
  });

  it("is tried again after a refusal, and given up after queue_tries_max of them", async () => {
    const queue = fakeQueue();
    const [entry] = entries(1) as [ReturnType<typeof entries>[number]];
    queue.faults.push(new Error("busy"));
    await createLogQueue(queue, systemClock).send(entry);
    expect(queue.bodies).toHaveLength(1);
    queue.faults.push(...Array.from({ length: LIMITS.queue_tries_max }, () => new Error("busy")));
    await expect(createLogQueue(queue, systemClock).send(entry)).rejects.toThrow("busy");
    expect(queue.calls).toBe(2 + LIMITS.queue_tries_max);
  });

  it("is refused when a part that must stay whole is over the limit", async () => {
    const queue = fakeQueue();
    const [entry] = entries(1) as [ReturnType<typeof entries>[number]];
    const warnings = ["w".repeat(LIMITS.log_envelope_bytes)];
    await expect(createLogQueue(queue, systemClock).send({ ...entry, warnings })).rejects.toThrow("log_envelope_bytes");
    expect(queue.calls).toBe(0);
  });
});

describe("an entry that no database would take", () => {
  const entry = sizedEntry({ run_id: "r", step: 0, groups: 1, size: 2 });
  const withRollout = (more: object): LogEntry => ({
    ...entry,
    groups: entry.groups.map((group) => {
      const rollouts = group.result.rollouts.map((rollout, r) => (r === 0 ? { ...rollout, ...more } : rollout));
      return { ...group, result: { ...group.result, rollouts } };
    }),
  });
  const appended = async (one: LogEntry) => {
    const queue = fakeQueue();
    const lines: object[] = [];
    const deps = completeJudging({
      ...{ verifier: fakeVerifier(() => ""), runLog: fakeRunLog(), clock: fixedClock(), timers: systemClock },
      report: (line) => void lines.push(line),
      logQueue: createLogQueue(queue, systemClock),
    });
    const scope = { id: "it", started_ms: 0, key_name: null, verifier_ms: 0, store_ms: 0 };
    return { outcome: await appendEntry(deps, scope, one), sent: queue.bodies.length, lines };
  };

  it.each([
    ["a reward that is none", { reward: Number.NaN, error: null }],
    ["an infinite reward", { reward: Number.POSITIVE_INFINITY, error: null }],
    ["a component that is none", { components: { base: Number.NaN, format: 0, overlong: 0 } }],
  ])("for %s is told to its owner at once, and not queued", async (_, more) => {
    expect(await appended(withRollout(more))).toEqual({
      outcome: { logged: false, warnings: ["log_unstorable"] },
      sent: 0,
      lines: [{ level: "error", event: "log_unstorable", request_id: "it" }],
    });
  });

  it("is no other one", async () => {
    const { outcome, lines } = await appended(withRollout({ reward: null, error: "unbounded" }));
    expect([outcome, lines]).toEqual([{ logged: "queued", warnings: [] }, []]);
  });
});

describe("a request with a queue", () => {
  it("is answered `queued` without touching the database, which may be down", async () => {
    const queue = fakeQueue();
    const runLog = fakeRunLog();
    runLog.fault = new Error("down");
    const { post } = setUp({ runLog, logQueue: createLogQueue(queue, systemClock) });
    const reply = await (await post("/v1/rewards", twoRollouts())).json();
    expect(reply).toMatchObject({ logged: "queued", warnings: [], rewards: [[1, 0]] });
    expect(queue.bodies.map((body) => opened(body).request_id)).toEqual([(reply as { request_id: string }).request_id]);
    expect(runLog.entries).toEqual([]);
  });

  it("that the queue refuses is stored before its reply", async () => {
    const queue = fakeQueue();
    queue.faults.push(...Array.from({ length: LIMITS.queue_tries_max }, () => new Error("busy")));
    const { post, runLog, call, lines } = setUp({ logQueue: createLogQueue(queue, systemClock) });
    expect(await (await post("/v1/rewards", twoRollouts())).json()).toMatchObject({ logged: true, warnings: [] });
    expect(runLog.entries).toHaveLength(1);
    expect(lines).toEqual([expect.objectContaining({ event: "log_queue_refused", name: "Error" })]);
    expect(await (await call("/metrics")).text()).toContain("kritai_log_queue_refusals_total 1");
  });

  it("that neither queue nor database takes says so, and has its rewards all the same", async () => {
    const queue = fakeQueue();
    queue.faults.push(...Array.from({ length: LIMITS.queue_tries_max }, () => new Error("busy")));
    const runLog = fakeRunLog();
    runLog.fault = new Error("down");
    const { post } = setUp({ runLog, logQueue: createLogQueue(queue, systemClock) });
    const reply = await (await post("/v1/rewards", twoRollouts())).json();
    expect(reply).toMatchObject({ logged: false, warnings: ["log_failed"], rewards: [[1, 0]] });
  });
});
