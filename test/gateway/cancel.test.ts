// Owns the gateway's promises about comparisons that are taken back: what runs ends and frees its
// place, every sample is still told once, and nobody takes back what is not his.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GATEWAY_LIMITS } from "../../gpu-backend/gateway/gateway-limits.ts";
import type { VerifyEvent } from "../../src/core/wire/verify-protocol.ts";
import { FakePool, failing, voteFor } from "./fake-pool.ts";
import { inProcess } from "./in-process.ts";
import { collect, eventsOf } from "./replies.ts";
import { asked, type EventOf, group, only, pairs, post, reported, request } from "./requests.ts";

/** A running request: its events from behind `accepted`, and its cancel_id. */
async function running(gateway: ReturnType<typeof inProcess>, asks: object, headers = {}) {
  const events = eventsOf((await gateway.ask("/v1/verify", post(asks, headers))).body);
  const accepted = (await events.next()).value as EventOf<"accepted">;
  return { events, cancel_id: accepted.cancel_id as string };
}

describe("POST /v1/verify/cancel", () => {
  it("ends what runs and leaves out what waits, and tells each sample once with the tokens of the cut", async () => {
    const pool = new FakePool(3);
    const gateway = inProcess(pool);
    const asks = request([group("g", 3, pairs(3, { samples: 2 }))]);
    const { events, cancel_id } = await running(gateway, asks);
    await pool.until(({ in_flight }) => in_flight === 3);
    // Pair 0 runs twice, pair 1 once with one sample waiting, pair 2 waits.
    const back = {
      cancel_id,
      groups: [
        { group_id: "g", comparisons: [0, 1, 77] },
        { group_id: "other", comparisons: [2] },
      ],
    };
    expect((await gateway.ask("/v1/verify/cancel", post(back))).status).toBe(204);
    await pool.until(({ open }) => open.length === 2 && open.every(({ aborted }) => !aborted));
    expect(pool.calls.map(({ aborted }) => aborted)).toEqual([true, true, true, false, false]);
    for (const call of pool.open) call.answer(voteFor("B"));
    const told = await collect(events);
    expect(only(told, "saved")).toEqual([
      { type: "saved", group_id: "g", comparison: 0, samples: [0, 1], completion_tokens: 2 * pool.cut_tokens },
      { type: "saved", group_id: "g", comparison: 1, samples: [0, 1], completion_tokens: pool.cut_tokens },
    ]);
    expect(reported(told)).toEqual(asked(asks));
    expect(only(told, "done")[0]?.usage).toMatchObject({ generations: 6, saved: 4, failed: 0, completion_tokens: 29 });
    const metrics = await (await gateway.ask("/metrics")).text();
    expect(metrics).toContain('kritai_gateway_cancels_total{outcome="known"} 1');
    expect(metrics).toContain('kritai_gateway_tokens_total{kind="cut_completion"} 9');
    expect(metrics).toMatch(/kritai_gateway_in_flight 0/);
  });

  it("ends the request when nothing of it is left", async () => {
    const pool = new FakePool(1);
    const gateway = inProcess(pool);
    const asks = request([group("g", 3, pairs(3))]);
    const { events, cancel_id } = await running(gateway, asks);
    const back = { cancel_id, groups: [{ group_id: "g", comparisons: [0, 1, 2] }] };
    await gateway.ask("/v1/verify/cancel", post(back));
    const told = await collect(events);
    expect(told.at(-1)?.type).toBe("done");
    expect(reported(told)).toEqual(asked(asks));
    expect(gateway.admission.jobs.size).toBe(0);
    expect((await gateway.ask("/v1/verify/cancel", post(back))).status).toBe(404);
  });

  it("takes nothing back of a request whose cancel_id was not told, its X-Request-Id included", async () => {
    const pool = new FakePool(8);
    const gateway = inProcess(pool);
    const { events } = await running(gateway, request([group("g", 2, pairs(2))]), { "x-request-id": "mine" });
    const other = await running(gateway, request([group("g", 2, pairs(2))]), { "x-request-id": "mine" });
    for (const cancel_id of ["mine", "unknown"]) {
      const reply = await gateway.ask(
        "/v1/verify/cancel",
        post({ cancel_id, groups: [{ group_id: "g", comparisons: [0] }] }),
      );
      expect(reply.status).toBe(404);
      expect(await reply.json()).toMatchObject({ code: "not_found" });
    }
    const back = { cancel_id: other.cancel_id, groups: [{ group_id: "g", comparisons: [0] }] };
    expect((await gateway.ask("/v1/verify/cancel", post(back))).status).toBe(204);
    expect(only(await collect(other.events), "saved")).toHaveLength(1);
    expect(pool.open).toHaveLength(1);
    pool.open[0]?.answer(voteFor("A"));
    expect((await collect(events)).map(({ type }) => type)).toEqual(["verdict", "done"]);
  });

  it("wants the gateway's key, and names what is wrong with a body", async () => {
    const gateway = inProcess(new FakePool(1), { apiKey: "secret" });
    const key = { authorization: "Bearer secret" };
    const ask = (body: unknown, headers = key as Record<string, string>) =>
      gateway.ask("/v1/verify/cancel", post(body, headers));
    expect((await ask({}, {})).status).toBe(401);
    const wrong = await ask({ cancel_id: "x", groups: [{ group_id: "g", comparisons: [-1] }] });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({
      code: "invalid_request",
      errors: [{ path: "groups[0].comparisons[0]" }],
    });
    expect(await (await ask("{")).json()).toMatchObject({ code: "invalid_json" });
    const large = await ask(JSON.stringify({ cancel_id: " ".repeat(GATEWAY_LIMITS.cancel_bytes), groups: [] }));
    expect(large.status).toBe(413);
    expect((await gateway.ask("/v1/verify/cancel", { headers: key })).status).toBe(405);
  });

  it("keeps every promise of the reply whenever and whatever is taken back", async () => {
    const check = async (capacity: number, turns: { answer: number; back: number[]; fails: boolean }[]) => {
      const pool = new FakePool(capacity);
      const gateway = inProcess(pool);
      const majority = { samples: 3, stop: "majority" } as const;
      const asks = request([group("a", 4, pairs(4, majority)), group("b", 3, pairs(3, { samples: 2 }))]);
      const { events, cancel_id } = await running(gateway, asks);
      const rest = collect(events);
      const back = (comparisons: number[]) =>
        gateway.ask(
          "/v1/verify/cancel",
          post({ cancel_id, groups: ["a", "b"].map((group_id) => ({ group_id, comparisons })) }),
        );
      for (const { answer, back: some, fails } of turns) {
        pool.open[answer % Math.max(1, pool.open.length)]?.answer(
          fails ? failing("verifier_unavailable") : voteFor("AB"[answer % 2] as string),
        );
        if (some.length > 0) await back(some);
      }
      const all = back([0, 1, 2, 3, 4, 5]);
      const told: VerifyEvent[] = await rest;
      await all;
      expect(reported(told)).toEqual(asked(asks));
      expect(told.filter(({ type }) => type === "done")).toHaveLength(1);
      expect(pool.in_flight).toBe(0);
      expect(gateway.admission.queue_depth).toBe(0);
    };
    const turn = fc.record({ answer: fc.nat(20), back: fc.array(fc.nat(6), { maxLength: 3 }), fails: fc.boolean() });
    await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.array(turn, { maxLength: 12 }), check), {
      numRuns: 40,
    });
  });
});
