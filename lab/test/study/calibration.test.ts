// What order_confidence states is a lower bound of how often it is so, also for verifiers that are
// wrong about pairs or places; and each vote counts.
import { expect, test } from "vitest";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { sigmoid } from "../../../src/core/math/bradley-terry.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { rehearsed } from "../../../src/core/tournament/rehearsal.ts";
import type { Match, Outcomes } from "../../../src/core/tournament/schedules/schedule.ts";
import { surenessOf } from "../../../src/core/tournament/schedules/sureness.ts";
import { TournamentRun } from "../../../src/core/tournament/tournament-run.ts";
import { binned, calibrationGroups } from "../../study/calibration.ts";
import { NOISES } from "../../study/cells.ts";

const groups = calibrationGroups({ set: "sets/small", draws: 1, sizes: [4], most: 12 });

test.each(Object.keys(NOISES))("of groups with %s no bin states more than is observed, but for luck", (noise) => {
  for (const { stated, own, n } of binned(groups.filter((one) => one.noise === noise))) {
    if (n < 40) continue;
    expect(own, `${n} groups that state ${stated}`).toBeGreaterThanOrEqual(stated - 3 * Math.sqrt(0.25 / n));
  }
});

/** A group in the order of its numbers, of which each pair has so many votes in each order. */
const unanimous = (n: number, votes: number) => {
  const pairs = Array.from({ length: n }, (_, i) => i).flatMap((i) =>
    Array.from({ length: n - 1 - i }, (_, k): Match => [i, i + 1 + k]),
  );
  const share = (i: number, j: number) => Number(i < j);
  const outcomes: Outcomes = Object.assign(share, {
    inOrder: (i: number, j: number) => ({ count: votes, mean: share(i, j) }),
  });
  return surenessOf(n, pairs, outcomes);
};

test("votes that agree say more the more they are, and no number of them makes a pair certain", () => {
  for (const n of [2, 4, 8]) {
    const all = [1, 2, 4, 8, 16, 64].map((votes) => unanimous(n, votes).best);
    expect(all).toEqual([...all].sort((a, b) => a - b));
    expect(new Set(all).size).toBe(all.length);
    expect((all[4] as number) - (all[0] as number)).toBeGreaterThan(0.15);
    expect(all.at(-1)).toBeLessThan(1);
  }
});

test("16 votes in both orders are stated to know more than one", () => {
  const mean = (way: string) => {
    const own = groups.filter((one) => one.way === way);
    return own.reduce((sum, { stated }) => sum + stated.best, 0) / own.length;
  };
  expect(mean("16 votes, both orders")).toBeGreaterThan(mean("one vote") + 0.1);
});

test("active ends before all pairs where the order is plain, and asks all where it is not", () => {
  const share = (spread: number) => {
    const n = 8;
    const judge = { ...DEFAULT_SPEC.judge, both_orders: true, samples: 16, schedule: { name: "active", sure: 0.9 } };
    const contest = new TournamentRun({
      keys: Array.from({ length: n }, (_, i) => hashText("active", i)),
      judge,
      seed: 1,
    });
    const { waves } = rehearsed(contest, n, ({ shown: [a = 0, b = 0], samples, first_sample = 0 }) =>
      Array.from({ length: samples }, (_, k) => {
        const random = createRandom(hashText("vote", a, b, first_sample + k))();
        return { state: "parsed" as const, winner: random < sigmoid(spread * (b - a)) ? a : b };
      }),
    );
    return waves.flat().length / (n * (n - 1));
  };
  expect(share(5)).toBeLessThan(0.9);
  expect(share(0)).toBe(1);
});
