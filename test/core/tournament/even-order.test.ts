// Guarantees that a deadline cannot choose by position: whatever number of questions was asked, they cover
// all candidates evenly, in an order that depends on contents.

import { describe, expect, it, test } from "vitest";
import { FIRST } from "../../../src/core/asking/purpose.ts";
import type { Presentation } from "../../../src/core/asking/questions.ts";
import type { ContentKey } from "../../../src/core/candidate/classes.ts";
import type { JudgeSettings, NamedSchedule } from "../../../src/core/contract/judge-settings.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { createRandom, hashText, shuffled } from "../../../src/core/math/random.ts";
import { EvenOrder } from "../../../src/core/tournament/even-order.ts";
import { evenPairs } from "../../../src/core/tournament/even-pairs.ts";
import { NOTHING_SEEN } from "../../../src/core/tournament/presentation-results.ts";
import { TournamentRun } from "../../../src/core/tournament/tournament-run.ts";
import fc from "../../harness/property.ts";

/** The widest gap between two of n in how often they were met, over all beginnings of a line. */
function widestGap(n: number, line: readonly (readonly number[])[]): number {
  const met = new Array<number>(n).fill(0);
  return line.reduce((widest, shown) => {
    for (const i of shown) met[i] = (met[i] as number) + 1;
    return Math.max(widest, Math.max(...met) - Math.min(...met));
  }, 0);
}

describe("all pairs", () => {
  const sizes = Array.from({ length: LIMITS.rollouts_per_group_max }, (_, n) => n + 1);

  it.each(sizes)("of %i are each there once, and no beginning of them has met one more than another by two", (n) => {
    const pairs = evenPairs(n);
    expect(new Set(pairs.map((pair) => [...pair].sort((a, b) => a - b).join())).size).toBe((n * (n - 1)) / 2);
    expect(pairs).toHaveLength((n * (n - 1)) / 2);
    expect(widestGap(n, pairs)).toBeLessThanOrEqual(1);
  });

  it.each(sizes.slice(2))("of %i begin with one ring through everyone", (n) => {
    const ring = evenPairs(n).slice(0, n);
    const next = (at: number, from: number) =>
      ring.flatMap(([a, b]) => (a === at ? [b] : b === at ? [a] : [])).find((other) => other !== from) as number;
    const walked = new Set<number>();
    for (let at = 0, from = -1; !walked.has(at); ) {
      walked.add(at);
      [at, from] = [next(at, from), at];
    }
    expect(walked.size).toBe(n);
  });
});

const keyOf = (text: string): ContentKey => hashText("candidate", text);

/** The first wave of a schedule, as it leaves: by the candidates' names. */
function leaving(names: readonly string[], judge: Partial<JudgeSettings>): string[][] {
  const keys = names.map(keyOf);
  const contest = new TournamentRun({ keys, judge: { ...DEFAULT_SPEC.judge, ...judge }, seed: 0 });
  const wave = contest.next(NOTHING_SEEN);
  return new EvenOrder(keys)
    .arrange(wave, (showing) => showing)
    .map(({ shown }) => shown.map((i) => names[i] as string));
}

const PAIRED: readonly NamedSchedule[] = [
  "round_robin",
  "circular",
  { name: "circular", degree: 2 },
  { name: "circular", degree: 3 },
  "pivot",
  "active",
  "swiss",
];

describe("what leaves of a wave", () => {
  const namesOf = (n: number) => Array.from({ length: n }, (_, i) => `c${i}`);
  const numbers = (line: readonly (readonly string[])[]) =>
    line.map((shown) => shown.map((one) => Number(one.slice(1))));

  test.each(PAIRED)("of %j differs by one at most between any two candidates, whatever the group", (schedule) => {
    for (let n = 2; n <= 24; n++) {
      for (const both_orders of [false, true]) {
        const line = numbers(leaving(namesOf(n), { schedule, both_orders }));
        // For rings of an odd number of candidates, several times as long as wide, a more even order does not
        // exist; with an odd number `swiss` leaves one out.
        const bound = typeof schedule === "object" || (schedule === "swiss" && n % 2 === 1) ? 2 : 1;
        expect(widestGap(n, line), `n = ${n}`).toBeLessThanOrEqual(bound);
      }
    }
  });

  test.each([...PAIRED, "anchored", "knockout"] as const)(
    "of %j is the same whatever the order of the input",
    (schedule) => {
      const check = (n: number, seed: number, both_orders: boolean) => {
        const names = namesOf(n);
        const mixed = shuffled(names, createRandom(hashText("mixed", seed)));
        expect(leaving(mixed, { schedule, both_orders })).toEqual(leaving(names, { schedule, both_orders }));
      };
      fc.assert(fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(), fc.boolean(), check), { numRuns: 30 });
    },
  );

  it("shows every pair once before it shows one again, and everybody first as often as second", () => {
    for (const n of [7, 8, 16]) {
      const line = numbers(leaving(namesOf(n), { both_orders: true }));
      const half = line.slice(0, line.length / 2);
      expect(new Set(half.map((shown) => [...shown].sort((a, b) => a - b).join())).size).toBe(half.length);
      const firsts = half.map(([first]) => [first as number]);
      expect(widestGap(n, firsts)).toBeLessThanOrEqual(4);
    }
  });

  it("is the wave: the same questions, each once, whatever they show and whatever left before", () => {
    const showings = fc.array(
      fc.record({
        shown: fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 5 }),
        samples: fc.integer({ min: 1, max: 4 }),
        purpose: fc.constant(FIRST),
      }),
      { maxLength: 40 },
    );
    const check = (first: Presentation[], second: Presentation[]) => {
      const order = new EvenOrder(Array.from({ length: 10 }, (_, i) => keyOf(`${i}`)));
      for (const wave of [first, second]) {
        const left = order.arrange(wave, (showing) => showing);
        expect(left).toHaveLength(wave.length);
        expect(new Set(left)).toEqual(new Set(wave));
      }
    };
    fc.assert(fc.property(showings, showings, check));
  });

  it("goes on from what left before: who was asked least is next", () => {
    const order = new EvenOrder([0, 1, 2, 3].map((i) => keyOf(`${i}`)));
    const pair = (a: number, b: number) => ({ shown: [a, b] });
    order.arrange([pair(0, 1)], (showing) => showing);
    const left = order.arrange([pair(0, 1), pair(1, 2), pair(2, 3)], (showing) => showing);
    expect(left.map(({ shown }) => shown.join())).toEqual(["2,3", "0,1", "1,2"]);
  });
});
