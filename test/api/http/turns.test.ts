// Owns the guarantee of work in turns: others are served between two of them, a key's are done one
// after another, and what a runtime ended amid blocks nobody for good.
import { describe, expect, it, vi } from "vitest";
import { inTurns } from "../../../src/api/http/turns.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";

const TURN = LIMITS.rehearsal_turn_steps;
const clock = { now: () => performance.now(), date: () => new Date(0) };

function* working(name: string, turns: number, log: string[]): Generator<number, string> {
  for (let turn = 0; turn < turns; turn++) {
    log.push(name);
    yield TURN;
  }
  return name;
}

describe("work in turns", () => {
  it("lets the event loop serve others between any two", async () => {
    const log: string[] = [];
    let served = 0;
    const serve = () => {
      served++;
      if (log.length < 20) setTimeout(serve, 0);
    };
    setTimeout(serve, 0);
    await inTurns("turns-a", clock, working("a", 20, log));
    expect(served).toBeGreaterThan(5);
  });

  it("does a key's one after another, and another key's beside them", async () => {
    const log: string[] = [];
    const ends = await Promise.all([
      inTurns("turns-a", clock, working("a1", 10, log)),
      inTurns("turns-a", clock, working("a2", 10, log)),
      inTurns("turns-b", clock, working("b", 10, log)),
    ]);
    expect(ends).toEqual(["a1", "a2", "b"]);
    expect(log.lastIndexOf("a1")).toBeLessThan(log.indexOf("a2"));
    expect(log.indexOf("b")).toBeLessThan(log.lastIndexOf("a1"));
  });

  it("pauses between a key's works, after each turn where more of them wait, and never where none does", async () => {
    let now = 0;
    const pauses: number[] = [];
    const set = globalThis.setTimeout;
    const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((done: () => void, ms = 0) => {
      pauses.push(ms);
      return set(() => {
        now += ms;
        done();
      }, 0);
    }) as typeof setTimeout);
    const virtual = { ...clock, now: () => now };
    try {
      await inTurns("turns-d", virtual, working("d", 3, []));
      expect(pauses).toEqual([0, 0, 0]);
      now += LIMITS.rehearsal_pause_ms;
      pauses.length = 0;
      await Promise.all(["d1", "d2"].map((name) => inTurns("turns-d", virtual, working(name, 3, []))));
      expect(pauses.filter((ms) => ms === LIMITS.rehearsal_pause_ms)).toHaveLength(3);
      const began: number[] = [];
      function* short(): Generator<number, number> {
        began.push(now);
        yield 0;
        return now;
      }
      await Promise.all(Array.from({ length: 8 }, () => inTurns("turns-d", virtual, short())));
      for (const [k, at] of began.entries())
        if (k > 0) expect(at - (began[k - 1] as number)).toBeGreaterThanOrEqual(LIMITS.rehearsal_pause_ms);
      expect(began).toHaveLength(8);
    } finally {
      spy.mockRestore();
    }
  });

  it("goes on by a clock that stands", async () => {
    const still = { ...clock, now: () => 0 };
    for (const name of ["e1", "e2", "e3"]) expect(await inTurns("turns-e", still, working(name, 1, []))).toBe(name);
  });

  it("waits for none that was ended amid for longer than its lease, nor for one that failed", async () => {
    const log: string[] = [];
    let over = false;
    function* endless(): Generator<number, string> {
      while (!over) yield TURN;
      return "ended";
    }
    const ended = inTurns("turns-a", clock, endless());
    const next = inTurns(
      "turns-a",
      { ...clock, now: () => clock.now() + LIMITS.rehearsal_lease_ms + 1 },
      working("n", 1, log),
    );
    expect(await next).toBe("n");
    over = true;
    expect(await ended).toBe("ended");
    function* failing(): Generator<number, string> {
      yield TURN;
      throw new Error("broken");
    }
    await expect(inTurns("turns-c", clock, failing())).rejects.toThrow("broken");
    expect(await inTurns("turns-c", clock, working("after", 1, log))).toBe("after");
  });
});
