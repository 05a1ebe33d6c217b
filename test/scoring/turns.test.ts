// The guarantee of work in turns: others are served between two of them, a key's are done one after another,
// and work that a runtime ended in the middle blocks no other for good.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Clock } from "../../src/ports/ports.ts";
import { pacePiece, workInTurns } from "../../src/scoring/turns.ts";

const TURN = LIMITS.turn_steps;
const clock = { ...systemClock, date: () => new Date(0) };

function* working(name: string, turns: number, log: string[]): Generator<number, string> {
  for (let turn = 0; turn < turns; turn++) {
    log.push(name);
    yield TURN;
  }
  return name;
}

/** Runs one work as its own request, without a deadline. */
const worked = <T>(party: string, clock: Clock, work: Generator<number, T>) =>
  workInTurns(party, clock, Number.POSITIVE_INFINITY)(work);

let began = systemClock.now();
/** A clock that goes on by its timers alone, and what they were set to. */
async function byTimers(run: (clock: Clock, pauses: number[]) => Promise<void>): Promise<void> {
  began += 1000 * LIMITS.turn_beside_ms;
  let now = began;
  const pauses: number[] = [];
  const after = (ms: number, done: () => void) => {
    pauses.push(ms);
    return clock.after(0, () => {
      now += ms;
      done();
    });
  };
  await run({ ...clock, now: () => now, after }, pauses);
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

  it("reads a key's large bodies as fast as they come alone, and in pieces of a steady pace beside another key", () =>
    byTimers(async (virtual, pauses) => {
      const pieces = (party: string) => Promise.all([1, 2, 3].map(() => pacePiece(party, virtual)));
      await pieces("score-h");
      expect(pauses).toEqual([]);
      await pieces("score-i");
      expect(pauses).toEqual([LIMITS.body_piece_ms, 2 * LIMITS.body_piece_ms]);
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
    await worked("turns-a", clock, working("a", 20, log));
    expect(served).toBeGreaterThan(5);
  });

  it("does another key's works beside a key's own", async () => {
    const log: string[] = [];
    await Promise.all([
      worked("turns-a", clock, working("a1", 10, log)),
      worked("turns-a", clock, working("a2", 10, log)),
      worked("turns-b", clock, working("b", 10, log)),
    ]);
    expect(log.indexOf("b")).toBeLessThan(log.lastIndexOf("a1"));
  });

  it("goes on by a clock that stands", async () => {
    const still = { ...clock, now: () => 0 };
    for (const name of ["e1", "e2", "e3"]) expect(await worked("turns-e", still, working(name, 2, []))).toBe(name);
  });

  it("waits no longer than its lease for one that was abandoned, by a clock that stands too", async () => {
    const still = { ...clock, now: () => 0, after: (_: number, run: () => void) => clock.after(0, run) };
    void worked("turns-d", { ...still, after: () => () => {} }, working("abandoned", 2, []));
    expect(await worked("turns-d", still, working("next", 2, []))).toBe("next");
  });

  it("waits for none that was ended amid for longer than its lease, nor for one that failed", async () => {
    const log: string[] = [];
    let over = false;
    function* endless(): Generator<number, string> {
      while (!over) yield TURN;
      return "ended";
    }
    const ended = worked("turns-a", clock, endless());
    const next = worked(
      "turns-a",
      { ...clock, now: () => clock.now() + LIMITS.turn_lease_ms + 1 },
      working("n", 2, log),
    );
    expect(await next).toBe("n");
    over = true;
    expect(await ended).toBe("ended");
    function* failing(): Generator<number, string> {
      yield TURN;
      throw new Error("broken");
    }
    await expect(worked("turns-c", clock, failing())).rejects.toThrow("broken");
    expect(await worked("turns-c", clock, working("after", 1, log))).toBe("after");
  });
});
