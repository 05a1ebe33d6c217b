// Holds whom a failed generation is laid to: a question that fails everywhere takes no engine from
// its neighbours, an engine that is down is out soon.
import { describe, expect, it } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { NONE_HEALTHY_WAIT_MS } from "../../gpu-backend/gateway/engines/engine-pool.ts";
import type { EnginePool } from "../../gpu-backend/gateway/engines/port.ts";
import { FAILURES_TO_EJECT } from "../../gpu-backend/gateway/engines/replica-health.ts";
import { answer, chunk, cut, event, raw, reset, status } from "../harness/mock-behaviours.ts";
import type { MockVerifier, Script } from "../harness/mock-verifier.ts";
import { deadUrl } from "../verifier/setup.ts";
import { callWith, HEALTH_MS, waitsAtOnce, withPool } from "./engine-setup.ts";

const about = (question: string, seed = 1) =>
  callWith({
    affinity: question,
    seed,
    question: [Buffer.from(`"messages":${JSON.stringify([{ role: "user", content: question }])}`)],
  });
const BAD = "bad";
/** Fails every question whose text begins with `bad`. */
const strikes =
  (behaviour = status(500)): Script =>
  ({ body }) =>
    body.messages[0]?.content.startsWith(BAD) ? behaviour : answer("\\boxed{A}");
const ejections = (pool: EnginePool) =>
  [...pool.metrics().matchAll(/^kritai_engine_ejections_total\{[^}]+\} (\d+)$/gm)].map(([, count]) => Number(count));
const asked = (mocks: readonly MockVerifier[]) => mocks.map(({ log }) => log.length);
/** No check of an engine ever comes: one that is taken out stays out. */
const unchecked = { timers: waitsAtOnce };

describe("a question that fails every time", () => {
  it.each([
    ["by a 500", status(500)],
    ["by a 504", status(504)],
    ["by a reset before the headers", reset()],
    ["by a reset within the answer", cut("reset")],
    ["by an answer that ends early", cut("end")],
    ["by an error event", raw([chunk({ content: "x" }), event({ error: { message: "dead", code: 500 } })])],
  ])("%s leaves the only engine to its neighbours", async (_, behaviour) => {
    await withPool(
      strikes(behaviour),
      async (pool) => {
        for (let seed = 0; seed < 2 * FAILURES_TO_EJECT; seed++) {
          expect((await pool.generate(about(BAD, seed))).error).not.toBeNull();
        }
        expect(await pool.generate(about("good"))).toMatchObject({ answer: "\\boxed{A}", error: null });
        expect(ejections(pool)).toEqual([0]);
      },
      unchecked,
    );
  });

  it("holds up nobody, however many samples of it are under way", async () => {
    await withPool(strikes(), async (pool, _, timers) => {
      const struck = Array.from({ length: 16 }, (_, seed) => pool.generate(about(BAD, seed)));
      await timers.armed(50, 16);
      const neighbour = Promise.race([pool.generate(about("good")), timers.armed(NONE_HEALTHY_WAIT_MS)]);
      expect(await neighbour).toMatchObject({ answer: "\\boxed{A}", error: null });
      await pool.close();
      expect((await Promise.all(struck)).every(({ error }) => error === "verifier_unavailable")).toBe(true);
    });
  });

  it("takes none of several engines out", async () => {
    await withPool(
      [strikes(), strikes(), strikes()],
      async (pool, mocks) => {
        for (let seed = 0; seed < 4 * FAILURES_TO_EJECT; seed++) await pool.generate(about(BAD, seed));
        for (const count of asked(mocks)) expect(count).toBeGreaterThanOrEqual(FAILURES_TO_EJECT);
        expect(ejections(pool)).toEqual([0, 0, 0]);
      },
      unchecked,
    );
  });

  it("with others like it takes some engines out, and never the last", async () => {
    await withPool(
      [strikes(), strikes()],
      async (pool) => {
        for (let i = 0; i < 10 * FAILURES_TO_EJECT; i++) await pool.generate(about(`${BAD} ${i}`));
        expect(ejections(pool).toSorted()).toEqual([0, 1]);
        expect(await pool.generate(about("good"))).toMatchObject({ answer: "\\boxed{A}", error: null });
      },
      unchecked,
    );
  });

  it("does not add up with another one across an answer, nor across a good check", async () => {
    await withPool([strikes(), strikes()], async (pool, _, timers) => {
      const fails = async (question: string) => {
        const struck = pool.generate(about(question));
        await timers.armed(100);
        timers.fire(100);
        await struck;
      };
      for (let i = 0; i < 3; i++) {
        for (let k = 1; k < FAILURES_TO_EJECT; k++) await fails(`${BAD} ${i} ${k}`);
        await timers.turn(HEALTH_MS, 2);
      }
      expect(ejections(pool)).toEqual([0, 0]);
    });
    await withPool(
      [strikes(), strikes()],
      async (pool, mocks) => {
        for (let i = 0; i < 10; i++) {
          await pool.generate(about(`${BAD} ${i}`));
          const before = asked(mocks);
          // More at once than one engine gets of one question, so that both answer some.
          await Promise.all(Array.from({ length: 40 }, (_, seed) => pool.generate(about("good", seed))));
          asked(mocks).forEach((count, at) => {
            expect(count).toBeGreaterThan(before[at] as number);
          });
        }
        expect(ejections(pool)).toEqual([0, 0]);
      },
      unchecked,
    );
  });
});

describe("an engine", () => {
  it("that fails different questions while another answers is out after three of them", async () => {
    await withPool(
      [() => status(500), () => answer("\\boxed{A}")],
      async (pool, mocks) => {
        for (let i = 0; i < 60; i++) expect(await pool.generate(about(`q ${i}`))).toMatchObject({ error: null });
        expect(mocks[0]?.log).toHaveLength(FAILURES_TO_EJECT);
        expect(ejections(pool)).toEqual([1, 0]);
      },
      unchecked,
    );
  });

  it.each([
    ["that nobody can connect to", "127.0.0.1"],
    ["that nobody can connect to under any address of its name", "localhost"],
  ])("%s is out after one question's attempts, also when it is the only one", async (_, host) => {
    const urls = [(await deadUrl()).replace("127.0.0.1", host)];
    const pool = createEnginePool({ urls, model: "m", apiKey: null, random: () => 0.5, ...unchecked });
    expect(await pool.generate(about("q"))).toMatchObject({ error: "verifier_unavailable", retryable: true });
    expect(ejections(pool)).toEqual([1]);
    expect(await pool.ready()).toMatchObject({ ok: false, detail: "0 of 1 engines serve the model (unhealthy)" });
    await pool.close();
  });
});
