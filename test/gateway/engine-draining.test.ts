// Holds that an engine which passes its checks and fails its questions, as one that shuts down
// does, costs its neighbours nothing and is not called ready.
import { describe, expect, it } from "vitest";
import { FAILURES_TO_EJECT, SUCCESSES_TO_RETURN } from "../../gpu-backend/gateway/engines/replica-health.ts";
import { answer, status } from "../harness/mock-behaviours.ts";
import type { Script } from "../harness/mock-verifier.ts";
import { gate } from "../verifier/setup.ts";
import { callWith, HEALTH_MS, withPool } from "./engine-setup.ts";

const fine = () => answer("\\boxed{A}");

/** An engine that drains until it is stopped. */
function draining() {
  const state = { drains: true };
  const script: Script = () => (state.drains ? status(500) : fine());
  return { state, script };
}

describe("an engine that fails its questions and passes its checks", () => {
  it("is tried by one question after each rest, and the rests grow", async () => {
    const { script } = draining();
    await withPool([script, fine], async (pool, [mock], timers) => {
      let asked = 0;
      const burst = async () => {
        const calls = Array.from({ length: 12 }, () => pool.generate(callWith({ affinity: `q ${asked++}` })));
        for (const { error } of await Promise.all(calls)) expect(error).toBeNull();
      };
      while ((mock?.log.length ?? 0) < FAILURES_TO_EJECT) await burst();
      const seen: number[] = [];
      for (let check = 0; check < 62; check++) {
        const before = mock?.log.length ?? 0;
        await timers.turn(HEALTH_MS, 2);
        await burst();
        if ((mock?.log.length ?? 0) > before) seen.push(check);
        expect((mock?.log.length ?? 0) - before).toBeLessThanOrEqual(1);
      }
      const rests = seen.map((check, at) => check - (seen[at - 1] ?? -1));
      expect(rests).toEqual([2, 4, 8, 16, 32]);
    });
  });

  it("gets its whole share again once it has answered one", async () => {
    const hold = gate();
    const { state, script } = draining();
    const held: Script = (request) =>
      state.drains ? script(request) : answer("\\boxed{A}", { before_body: hold.opened });
    await withPool(
      [held, fine],
      async (pool, [mock], timers) => {
        for (let i = 0; (mock?.log.length ?? 0) < FAILURES_TO_EJECT; i++)
          await pool.generate(callWith({ affinity: `q ${i}` }));
        state.drains = false;
        for (let i = 0; i < SUCCESSES_TO_RETURN; i++) await timers.turn(HEALTH_MS, 2);
        const before = mock?.log.length ?? 0;
        expect(pool.capacity).toBe(64 + 1);
        const calls = Array.from({ length: 40 }, (_, i) => pool.generate(callWith({ affinity: `r ${i}` })));
        await mock?.until(({ log }) => log.length === before + 1);
        hold.open();
        await Promise.all(calls);
        expect(mock?.log).toHaveLength(before + 1);
        expect(pool.capacity).toBe(2 * 64);
      },
      { maxInFlight: 64 },
    );
  });

  it("is not brought back by answers that had begun before", async () => {
    const hold = gate();
    let drains = false;
    const script: Script = () => (drains ? status(500) : answer("\\boxed{A}", { before_body: hold.opened }));
    await withPool([script, fine], async (pool, [mock], timers) => {
      // Few enough to leave it its turn at the questions to come.
      const begun: Promise<unknown>[] = [];
      for (let held = 0; held < 3; held = mock?.log.length ?? 0) {
        const call = pool.generate(callWith({ affinity: `old ${begun.length}` }));
        begun.push(call);
        await Promise.race([call, mock?.until(({ log }) => log.length > held)]);
      }
      drains = true;
      const failed = () => mock?.log.filter((entry) => entry.status === 500).length ?? 0;
      for (let i = 0; failed() < FAILURES_TO_EJECT; i++) await pool.generate(callWith({ affinity: `q ${i}` }));
      hold.open();
      await Promise.all(begun);
      await timers.turn(HEALTH_MS, 2);
      for (let i = 0; i < 12; i++) await pool.generate(callWith({ affinity: `r ${i}` }));
      expect(failed()).toBe(FAILURES_TO_EJECT);
    });
  });

  it("alone keeps its work, and is called failing until it has rested or answered", async () => {
    const { state, script } = draining();
    await withPool(script, async (pool, [mock], timers) => {
      const failing = { ok: false, detail: "0 of 1 engines serve the model (failing)" };
      const asks = async (question: string) => {
        const call = pool.generate(callWith({ affinity: question }));
        await Promise.race([call, timers.armed(50)]);
        timers.fire(50);
        await Promise.race([call, timers.armed(100)]);
        timers.fire(100);
        return call;
      };
      for (let i = 0; i < FAILURES_TO_EJECT; i++) await asks(`q ${i}`);
      expect(await pool.ready()).toMatchObject(failing);
      for (let i = 0; i < SUCCESSES_TO_RETURN; i++) await timers.turn(HEALTH_MS);
      expect(await pool.ready()).toMatchObject({ ok: true });
      for (let i = 0; i < FAILURES_TO_EJECT; i++) await asks(`r ${i}`);
      for (let i = 0; i < SUCCESSES_TO_RETURN; i++) await timers.turn(HEALTH_MS);
      expect(await pool.ready()).toMatchObject(failing);
      state.drains = false;
      const before = mock?.log.length ?? 0;
      expect(await asks("s")).toMatchObject({ error: null });
      expect(mock?.log.length).toBe(before + 1);
      expect(await pool.ready()).toMatchObject({ ok: true });
    });
  });
});
