// The guarantees for groups that are incomplete: whose waiters are let go, with what answer, and that a kept
// place counts.
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { createLocalRooms } from "../../../src/objects/gathering/local.ts";
import { setUp } from "../../api/contracts/setup.ts";
import { fenced } from "../../api/routes/harness.ts";
import { judgingDeps, never, sampleOf } from "./setup.ts";

const body = (i: number) => ({ prompt: "p", response: fenced("x".repeat(i + 1)), label: "l" });

describe("slime, whose samples wait for those that lack a connection", () => {
  it("is let go with 503 and Retry-After, comes back to its place, and the group is whole", async () => {
    const { post, call, runLog } = setUp();
    const url = "/slime/reward?group_size=3";
    const first = await Promise.all([0, 1].map((i) => post(url, body(i))));
    for (const reply of first) {
      expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(await reply.json()).toMatchObject({ code: "gathering", retryable: true });
    }
    const again = [0, 1].map((i) => post(url, body(i)));
    const replies = await Promise.all([...again, post(url, body(2))]);
    expect(await Promise.all(replies.map((reply) => reply.json()))).toEqual([0, 0.5, 1]);
    expect(runLog.entries.map(({ items }) => items)).toEqual([3]);
    const metrics = await (await call("/metrics")).text();
    expect(metrics).toContain('kritai_gathered_let_go_total{contract="slime"} 2');
    expect(metrics).toContain('kritai_gathered_samples_total{contract="slime",group="whole"} 3');
  });

  it("is held when it asks once, and a reward of a part of its group is counted and told of", async () => {
    const { post, call } = setUp();
    const replies = await Promise.all(
      [0, 1].map((i) => post("/slime/reward?group_size=3&tries=1&deadline_ms=3000", body(i))),
    );
    expect(await Promise.all(replies.map((reply) => reply.json()))).toEqual([0, 1]);
    expect(replies[0]?.headers.get("x-kritai-warnings")).toBe("group_incomplete: 2 of 3");
    expect(await (await call("/metrics")).text()).toContain('{contract="slime",group="cut_short"} 2');
  });
});

describe("a place", () => {
  const rooms = () => createLocalRooms(judgingDeps());
  const sample = (code: string, more: object) =>
    sampleOf(code, { group_size: 3, window_ms: 60_000, tries: 10, ...more });

  it("is kept when its waiter was let go or cut, and the last sample has the group judged without them", async () => {
    const open = rooms();
    const cut = new AbortController();
    const left = open.join(sample("a", {}), cut.signal);
    cut.abort();
    await left;
    await expect(open.join(sample("bb", { patience_ms: 20 }), never())).rejects.toMatchObject({ code: "gathering" });
    expect(await open.join(sample("ccc", {}), never())).toMatchObject({
      members: 3,
      closed: "full",
      result: { wins: 2 },
    });
    expect((await open.join(sample("bb", {}), never())).result.wins).toBe(1);
  });

  it("takes a client's patience to be shorter than any heartbeat, so that the first let-go is a status of its own", () => {
    expect(LIMITS.room_patience_ms).toBeLessThan(LIMITS.heartbeat_ms);
  });
});
