// Owns the guarantee of work in turns: others are served between two of them, a key's are done one
// after another, and what a runtime ended amid blocks nobody for good.
import { describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { Clock } from "../../src/ports/ports.ts";
import { inTurns, REHEARSING, workInTurns } from "../../src/scoring/turns.ts";

const TURN = LIMITS.turn_steps;
const clock = { now: () => performance.now(), date: () => new Date(0) };

function* working(name: string, turns: number, log: string[]): Generator<number, string> {
  for (let turn = 0; turn < turns; turn++) {
    log.push(name);
    yield TURN;
  }
  return name;
}

const rehearsed = <T>(party: string, clock: Clock, work: Generator<number, T>) =>
  inTurns(party, clock, work, REHEARSING);

let began = 0;
/** A clock that goes on by its timers alone, and what they were set to. */
async function byTimers(run: (clock: Clock, pauses: number[]) => Promise<void>): Promise<void> {
  began += 1000 * LIMITS.turn_beside_ms;
  let now = began;
  const pauses: number[] = [];
  const set = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((done: () => void, ms = 0) => {
    pauses.push(ms);
    return set(() => {
      now += ms;
      done();
    }, 0);
  }) as typeof setTimeout);
  try {
    await run({ ...clock, now: () => now }, pauses);
  } finally {
    spy.mockRestore();
  }
}

describe("scoring in turns", () => {
  it("waits for nothing within one turn, over all works of a request", () =>
    byTimers(async (virtual, pauses) => {
      const work = workInTurns("score-a", virtual, Number.POSITIVE_INFINITY);
      function* half(): Generator<number, string> {
        yield TURN / 2;
        return "half";
      }
      expect(await work(half())).toBe("half");
      expect(pauses).toEqual([]);
      expect(await work(half())).toBe("half");
      expect(pauses).toEqual([0]);
    }));

  it("rests between two turns where another key was lately served, and does a key's long ones in turn", () =>
    byTimers(async (virtual, pauses) => {
      const log: string[] = [];
      const scored = (party: string, name: string) =>
        workInTurns(party, virtual, Number.POSITIVE_INFINITY)(working(name, 3, log));
      await scored("score-b", "alone");
      expect(pauses).toEqual([0, 0, 0]);
      pauses.length = 0;
      await scored("score-c", "beside");
      expect(pauses).toEqual([LIMITS.turn_pause_ms, LIMITS.turn_pause_ms, LIMITS.turn_pause_ms]);
      log.length = 0;
      await Promise.all([scored("score-b", "b1"), scored("score-b", "b2")]);
      // The first turn of each is free.
      expect(log.filter((name, at) => log[at - 1] !== name)).toEqual(["b1", "b2", "b1", "b2"]);
    }));

  it("waits for no other from its deadline on", () =>
    byTimers(async (virtual) => {
      const log: string[] = [];
      let over = false;
      function* endless(): Generator<number, string> {
        while (!over) yield TURN;
        return "ended";
      }
      const ended = workInTurns("score-d", virtual, Number.POSITIVE_INFINITY)(endless());
      expect(await workInTurns("score-d", virtual, virtual.now() + 100)(working("late", 4, log))).toBe("late");
      over = true;
      expect(await ended).toBe("ended");
    }));

  it("a work that fails ends neither its request's next nor its key's", async () => {
    const work = workInTurns("score-e", clock, Number.POSITIVE_INFINITY);
    function* failing(): Generator<number, string> {
      yield TURN;
      throw new Error("broken");
    }
    await expect(work(failing())).rejects.toThrow("broken");
    expect(await work(working("after", 2, []))).toBe("after");
  });
});

describe("work in turns", () => {
  it("lets the event loop serve others between any two", async () => {
    const log: string[] = [];
    let served = 0;
    const serve = () => {
      served++;
      if (log.length < 20) setTimeout(serve, 0);
    };
    setTimeout(serve, 0);
    await rehearsed("turns-a", clock, working("a", 20, log));
    expect(served).toBeGreaterThan(5);
  });

  it("does a key's one after another, and another key's beside them", async () => {
    const log: string[] = [];
    // One that stands: on a busy machine a turn takes longer than its lease.
    const still = { ...clock, now: () => 0 };
    const ends = await Promise.all([
      rehearsed("turns-a", still, working("a1", 10, log)),
      rehearsed("turns-a", still, working("a2", 10, log)),
      rehearsed("turns-b", still, working("b", 10, log)),
    ]);
    expect(ends).toEqual(["a1", "a2", "b"]);
    expect(log.lastIndexOf("a1")).toBeLessThan(log.indexOf("a2"));
    expect(log.indexOf("b")).toBeLessThan(log.lastIndexOf("a1"));
  });

  it("pauses between a key's works, after each turn where more of them wait, and never where none does", () =>
    byTimers(async (virtual, pauses) => {
      await rehearsed("turns-d", virtual, working("d", 3, []));
      expect(pauses).toEqual([0, 0, 0]);
      await new Promise<void>((resolve) => setTimeout(resolve, LIMITS.rehearsal_pause_ms));
      pauses.length = 0;
      await Promise.all(["d1", "d2"].map((name) => rehearsed("turns-d", virtual, working(name, 3, []))));
      expect(pauses.filter((ms) => ms === LIMITS.rehearsal_pause_ms)).toHaveLength(3);
      const began: number[] = [];
      function* short(): Generator<number, number> {
        began.push(virtual.now());
        yield 0;
        return 0;
      }
      await Promise.all(Array.from({ length: 8 }, () => rehearsed("turns-d", virtual, short())));
      for (const [k, at] of began.entries())
        if (k > 0) expect(at - (began[k - 1] as number)).toBeGreaterThanOrEqual(LIMITS.rehearsal_pause_ms);
      expect(began).toHaveLength(8);
    }));

  it("goes on by a clock that stands", async () => {
    const still = { ...clock, now: () => 0 };
    for (const name of ["e1", "e2", "e3"]) expect(await rehearsed("turns-e", still, working(name, 1, []))).toBe(name);
  });

  it("waits for none that was ended amid for longer than its lease, nor for one that failed", async () => {
    const log: string[] = [];
    let over = false;
    function* endless(): Generator<number, string> {
      while (!over) yield TURN;
      return "ended";
    }
    const ended = rehearsed("turns-a", clock, endless());
    const next = rehearsed(
      "turns-a",
      { ...clock, now: () => clock.now() + LIMITS.turn_lease_ms + 1 },
      working("n", 1, log),
    );
    expect(await next).toBe("n");
    over = true;
    expect(await ended).toBe("ended");
    function* failing(): Generator<number, string> {
      yield TURN;
      throw new Error("broken");
    }
    await expect(rehearsed("turns-c", clock, failing())).rejects.toThrow("broken");
    expect(await rehearsed("turns-c", clock, working("after", 1, log))).toBe("after");
  });
});
