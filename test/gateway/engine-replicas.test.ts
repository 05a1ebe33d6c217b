// Holds what several replicas guarantee together: affinity, even load, caps kept, readiness, the
// pool's end.

import { describe, expect, it } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { EngineAddress } from "../../gpu-backend/gateway/engines/engine-address.ts";
import { FAILURES_TO_EJECT } from "../../gpu-backend/gateway/engines/replica-health.ts";
import { choose, Replica } from "../../gpu-backend/gateway/engines/replicas.ts";
import { gatewayTimers } from "../../gpu-backend/gateway/timers/gateway-timers.ts";
import { answer, silence } from "../harness/mock-behaviours.ts";
import type { MockVerifier } from "../harness/mock-verifier.ts";
import fc from "../harness/property.ts";
import { gate } from "../verifier/setup.ts";
import { callWith, GAUGES_MS, ManualTimers, startGaugedEngine, withPool } from "./engine-setup.ts";

const asked = (mocks: readonly MockVerifier[]) => mocks.map(({ log }) => log.length);
const fine = () => answer("\\boxed{A}");

describe("affinity", () => {
  it("keeps one key at one replica and spreads keys over all", async () => {
    await withPool([fine, fine, fine], async (pool, mocks) => {
      for (let i = 0; i < 20; i++) await pool.generate(callWith({ affinity: "one" }));
      expect(asked(mocks).sort((a, b) => a - b)).toEqual([0, 0, 20]);
      for (let i = 0; i < 60; i++) await pool.generate(callWith({ affinity: `group ${i}` }));
      for (const count of asked(mocks)) expect(count).toBeGreaterThanOrEqual(8);
    });
  });

  it("yields to load: of many calls at once with one key no replica gets all", async () => {
    const hold = gate();
    const held = () => answer("x", { before_headers: hold.opened });
    await withPool([held, held], async (pool, mocks) => {
      const calls = Array.from({ length: 100 }, () => pool.generate(callWith()));
      await Promise.all(mocks.map((mock) => mock.until(({ log }) => log.length >= 40)));
      hold.open();
      await Promise.all(calls);
      expect(asked(mocks).reduce((sum, count) => sum + count, 0)).toBe(100);
    });
  });
});

describe("the choice", () => {
  const state = fc.record({
    taken: fc.nat(20),
    cap: fc.integer({ min: 1, max: 20 }),
    healthy: fc.boolean(),
    tried: fc.boolean(),
  });
  const replicaOf = ({ taken, cap, healthy }: { taken: number; cap: number; healthy: boolean }, port: number) => {
    const replica = new Replica(new EngineAddress(`http://127.0.0.1:${port}`, null, gatewayTimers), cap, null);
    for (let i = 0; i < taken; i++) replica.take();
    for (let i = 0; i < FAILURES_TO_EJECT && !healthy; i++) replica.health.failed();
    return replica;
  };

  it("has health and room, was not tried while an untried one is healthy, and is within the bound of the least used", () => {
    fc.assert(
      fc.property(fc.array(state, { minLength: 1, maxLength: 6 }), fc.string(), (states, affinity) => {
        const replicas = states.map((each, i) => replicaOf(each, 1_000 + i));
        const tried = new Set(replicas.filter((_, i) => states[i]?.tried));
        const chosen = choose(replicas, affinity, tried);
        const untried = replicas.filter((replica) => replica.healthy && !tried.has(replica));
        const open = (untried.length > 0 ? untried : replicas).filter(({ has_room }) => has_room);
        if (chosen === null || open.length === 0) {
          expect({ chosen, open }).toEqual({ chosen: null, open: [] });
          return;
        }
        expect(open).toContain(chosen);
        const least = Math.min(...open.map(({ in_flight, aimd }) => in_flight / aimd.cap));
        expect(chosen.in_flight).toBeLessThanOrEqual(chosen.aimd.cap * least * 1.25 + 8);
        expect(choose(replicas, affinity, tried)).toBe(chosen);
      }),
    );
  });

  it("moves only the keys of the replica that is gone", () => {
    const replicas = [1, 2, 3, 4].map((port) => replicaOf({ taken: 0, cap: 9, healthy: true }, port));
    const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`);
    const before = keys.map((key) => choose(replicas, key, new Set()));
    const gone = replicas[2] as Replica;
    for (let i = 0; i < FAILURES_TO_EJECT; i++) gone.health.failed();
    keys.forEach((key, i) => {
      const now = choose(replicas, key, new Set());
      if (before[i] === gone) expect(now).not.toBe(gone);
      else expect(now).toBe(before[i]);
    });
  });
});

describe("room", () => {
  it("is kept to: calls beyond the cap wait, and the listener hears of each place that frees", async () => {
    const hold = gate();
    await withPool(
      () => answer("x", { before_headers: hold.opened }),
      async (pool, [mock]) => {
        let heard = 0;
        pool.onRoom(() => heard++);
        expect(pool.capacity).toBe(3);
        const calls = Array.from({ length: 10 }, () => pool.generate(callWith()));
        expect(pool.in_flight).toBe(10);
        await mock?.until(({ log }) => log.length === 3);
        hold.open();
        const answers = await Promise.all(calls);
        expect(answers.every(({ error }) => error === null)).toBe(true);
        expect(mock?.counters.open_max).toBe(3);
        expect(pool.in_flight).toBe(0);
        expect(heard).toBeGreaterThanOrEqual(3);
      },
      { maxInFlight: 3 },
    );
  });

  it("shrinks by a refusal for load and by the gauges, and a rise is told", async () => {
    const engine = await startGaugedEngine("vllm:num_requests_waiting 0\nvllm:kv_cache_usage_perc 0.2\n");
    const timers = new ManualTimers();
    const pool = createEnginePool({
      urls: [engine.url],
      model: "m",
      apiKey: null,
      maxInFlight: 10,
      random: () => 0.5,
      timers: timers.port,
    });
    await timers.armed(GAUGES_MS);
    let heard = 0;
    pool.onRoom(() => heard++);
    const calls = Array.from({ length: 10 }, () => pool.generate(callWith()));
    await engine.opened(10);
    engine.page = "vllm:num_requests_waiting 6\nvllm:kv_cache_usage_perc 0.2\n";
    await timers.turn(GAUGES_MS);
    expect(pool.capacity).toBe(7);
    expect(pool.metrics()).toMatch(/kritai_engine_cap\{engine="127\.0\.0\.1:\d+"\} 7\n/);
    engine.release();
    await Promise.all(calls);
    heard = 0;
    const more = Array.from({ length: 6 }, () => pool.generate(callWith()));
    await engine.opened(16);
    engine.page = "vllm:num_requests_waiting 0\nvllm:kv_cache_usage_perc 0.2\n";
    await timers.turn(GAUGES_MS);
    expect(pool.capacity).toBe(8);
    expect(heard).toBe(1);
    engine.release();
    await Promise.all(more);
    await pool.close();
    await engine.close();
  });
});

describe("readiness", () => {
  it("says whether the model is served, by how many, and lists the models of all", async () => {
    await withPool([fine, fine], async (pool, mocks) => {
      expect(await pool.ready()).toMatchObject({ ok: true, detail: "2 of 2 engines serve the model" });
      expect(await pool.models()).toEqual(["mock-model"]);
      await mocks[0]?.close();
      expect(await pool.ready()).toMatchObject({
        ok: true,
        detail: "1 of 2 engines serve the model (not reachable)",
      });
      expect(await pool.models()).toEqual(["mock-model"]);
    });
    await withPool(
      fine,
      async (pool) => {
        const { ok, detail, latency_ms } = await pool.ready();
        expect({ ok, detail }).toEqual({ ok: false, detail: "0 of 1 engines serve the model (model not served)" });
        expect(latency_ms).toBeGreaterThanOrEqual(0);
      },
      { model: "another" },
    );
  });
});

describe("closing", () => {
  it("ends what is in flight, what waits and what comes after, each with its one answer", async () => {
    await withPool(
      () => silence(),
      async (pool, [mock]) => {
        const calls = Array.from({ length: 4 }, () => pool.generate(callWith()));
        await mock?.until(({ log }) => log.length === 2);
        await pool.close();
        const answers = await Promise.all([...calls, pool.generate(callWith())]);
        expect(answers.map(({ error }) => error)).toEqual(Array(5).fill("verifier_unavailable"));
      },
      { maxInFlight: 2 },
    );
  });
});
