// Holds that no call is lost when a replica dies, and when one is taken out of use and comes back.
import { describe, expect, it } from "vitest";
import { NONE_HEALTHY_WAIT_MS } from "../../gpu-backend/gateway/engines/engine-pool.ts";
import { FAILURES_TO_EJECT, SUCCESSES_TO_RETURN } from "../../gpu-backend/gateway/engines/replica-health.ts";
import { answer, chunk, cut, silence, stall, status } from "../harness/mock-behaviours.ts";
import { gate } from "../verifier/setup.ts";
import { callWith, HEALTH_MS, withPool } from "./engine-setup.ts";

const fine = () => answer("\\boxed{A}");

describe("a replica that dies", () => {
  it("in the middle of a batch costs no call: all are answered by the other", async () => {
    const hold = gate();
    const parts = [chunk({ content: "half an ans" })];
    const dying = () => stall(parts);
    const living = () => answer("\\boxed{A}", { before_body: hold.opened });
    await withPool(
      [dying, living],
      async (pool, mocks) => {
        const calls = Array.from({ length: 120 }, (_, i) => pool.generate(callWith({ affinity: `g${i % 8}` })));
        await Promise.all(mocks.map((mock) => mock.until(({ log }) => log.length >= 30)));
        await mocks[0]?.close();
        hold.open();
        const answers = await Promise.all(calls);
        expect(answers.filter(({ error, answer }) => error === null && answer === "\\boxed{A}")).toHaveLength(120);
        expect(mocks[1]?.counters.open_max).toBeLessThanOrEqual(64);
        expect(pool.capacity).toBe(64);
        expect(pool.metrics()).toMatch(/kritai_engine_healthy\{[^}]+\} 0/);
      },
      { maxInFlight: 64 },
    );
  });

  it.each([
    ["before their first token", () => silence()],
    ["after it", () => stall([chunk({ content: "half an ans" })])],
  ])("with its connections open is given up by the answers that it keeps waiting %s", async (_, frozen) => {
    const health = { health_status: 200 };
    await withPool(
      [frozen, fine],
      async (pool, mocks, timers) => {
        const calls = Array.from({ length: 40 }, (_, i) => pool.generate(callWith({ affinity: `g${i}` })));
        await mocks[0]?.until(({ log }) => log.length >= 10);
        await mocks[1]?.until(({ counters }) => counters.open === 0);
        expect(pool.in_flight).toBeGreaterThanOrEqual(10);
        health.health_status = 503;
        for (let i = 0; i < FAILURES_TO_EJECT; i++) await timers.turn(HEALTH_MS, 2);
        const answers = await Promise.all(calls);
        expect(answers.map(({ error }) => error)).toEqual(Array(40).fill(null));
        await mocks[0]?.until(({ counters }) => counters.open === 0);
      },
      { mock: [health, {}] },
    );
  });

  it("with nobody to take its place keeps what waits in its queue", async () => {
    const hold = gate();
    const health = { health_status: 503 };
    await withPool(
      () => answer("\\boxed{A}", { before_body: hold.opened }),
      async (pool, [mock], timers) => {
        const call = pool.generate(callWith());
        await mock?.until(({ log }) => log.length === 1);
        for (let i = 0; i < 3 * FAILURES_TO_EJECT; i++) await timers.turn(HEALTH_MS);
        hold.open();
        expect(await call).toMatchObject({ answer: "\\boxed{A}", error: null });
        expect(mock?.log).toHaveLength(1);
      },
      { mock: health },
    );
  });

  it("that answers every question with a fault at once does not draw the load to itself", async () => {
    await withPool([() => status(500), fine], async (pool, mocks) => {
      for (let i = 0; i < 100; i++) {
        expect(await pool.generate(callWith({ affinity: `g${i}` }))).toMatchObject({ error: null });
      }
      expect(mocks[0]?.log).toHaveLength(FAILURES_TO_EJECT);
    });
  });

  it("gets work again after successful checks, and not before", async () => {
    const health = { health_status: 503 };
    await withPool(
      [fine],
      async (pool, [mock], timers) => {
        for (let i = 0; i < FAILURES_TO_EJECT; i++) await timers.turn(HEALTH_MS);
        expect(await pool.ready()).toMatchObject({ ok: false });
        const waiting = pool.generate(callWith());
        health.health_status = 200;
        for (let i = 1; i < SUCCESSES_TO_RETURN; i++) await timers.turn(HEALTH_MS);
        expect(mock?.log).toHaveLength(0);
        await timers.turn(HEALTH_MS);
        expect(await waiting).toMatchObject({ answer: "\\boxed{A}", error: null });
        expect(await pool.ready()).toMatchObject({ ok: true });
      },
      { mock: health },
    );
  });

  it("alone is waited for a while; then calls fail at once until it is back", async () => {
    const health = { health_status: 503 };
    await withPool(
      [fine],
      async (pool, _, timers) => {
        for (let i = 0; i < FAILURES_TO_EJECT; i++) await timers.turn(HEALTH_MS);
        const waiting = [1, 2, 3].map(() => pool.generate(callWith()));
        expect(timers.fire(NONE_HEALTHY_WAIT_MS)).toBe(1);
        for (const call of await Promise.all(waiting)) {
          expect(call).toMatchObject({ error: "verifier_unavailable", retryable: true });
        }
        expect(await pool.generate(callWith())).toMatchObject({ error: "verifier_unavailable" });
        expect(pool.capacity).toBeGreaterThanOrEqual(1);
        health.health_status = 200;
        for (let i = 0; i < SUCCESSES_TO_RETURN; i++) await timers.turn(HEALTH_MS);
        expect(await pool.generate(callWith())).toMatchObject({ error: null });
      },
      { mock: health },
    );
  });

  it("is not one that lacks a health route, nor one that fails now and then", async () => {
    await withPool(
      [({ index }) => (index % 3 === 0 ? cut("reset") : fine())],
      async (pool, _, timers) => {
        for (let i = 0; i < 5; i++) await timers.turn(HEALTH_MS);
        for (let i = 0; i < 10; i++) {
          const call = pool.generate(callWith());
          await Promise.race([call, timers.armed(50)]);
          timers.fire(50);
          expect(await call).toMatchObject({ error: null });
        }
        expect(pool.metrics()).toMatch(/kritai_engine_ejections_total\{[^}]+\} 0/);
      },
      { mock: { health_status: 404 } },
    );
  });
});
