import { describe, expect, it } from "vitest";
import { firstSampleOf } from "../../src/core/asking/purpose.ts";
import type { Presentation } from "../../src/core/asking/questions.ts";
import type { ContentKey } from "../../src/core/candidate/classes.ts";
import type { JudgeSettings } from "../../src/core/contract/judge-settings.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { ApiError } from "../../src/core/faults/errors.ts";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import { NOTHING_SEEN } from "../../src/core/tournament/presentation-results.ts";
import { TournamentRun } from "../../src/core/tournament/tournament-run.ts";
import fc from "../harness/property.ts";

const MODE = { round_robin: "pairwise", single_list: "listwise" } as const;
const keysOf = (n: number) => Array.from({ length: n }, (_, i) => hashText("content", i));
const asksOf = (schedule: keyof typeof MODE, keys: readonly ContentKey[], judge: Partial<JudgeSettings>, seed = 0) =>
  new TournamentRun({ keys, judge: { ...DEFAULT_SPEC.judge, schedule, mode: MODE[schedule], ...judge }, seed }).next(
    NOTHING_SEEN,
  );
/** A comparison named by content, so that schedules of moved candidates can be compared. */
const byContent = (asks: readonly Presentation[], keys: readonly ContentKey[]) =>
  asks
    .map(
      ({ shown, samples, purpose }) =>
        `${shown.map((i) => keys[i]?.join(".")).join(">")}x${samples}+${firstSampleOf({ purpose })}`,
    )
    .sort();

describe("every schedule", () => {
  it.each(["round_robin", "single_list"] as const)(
    "%s asks the same of the same contents wherever they stand",
    (name) => {
      fc.assert(
        fc.property(fc.integer({ min: 2, max: 5 }), fc.nat(1000), fc.boolean(), (n, seed, both_orders) => {
          const keys = keysOf(n);
          const moved = shuffled(keys, createRandom(seed));
          const judge = { both_orders, samples: 3 };
          expect(byContent(asksOf(name, moved, judge, seed), moved)).toEqual(
            byContent(asksOf(name, keys, judge, seed), keys),
          );
        }),
      );
    },
  );

  it.each(["round_robin", "single_list"] as const)("%s asks nothing after its only wave", (name) => {
    const judge = { ...DEFAULT_SPEC.judge, schedule: name, mode: MODE[name] };
    const contest = new TournamentRun({ keys: keysOf(4), judge, seed: 0 });
    expect(contest.next(NOTHING_SEEN).length).toBeGreaterThan(0);
    expect(contest.next(NOTHING_SEEN)).toEqual([]);
  });
});

describe("round_robin", () => {
  it("asks every pair once, or in both orders", () => {
    const once = asksOf("round_robin", keysOf(16), {});
    expect(once).toHaveLength(120);
    expect(new Set(once.map(({ shown }) => [...shown].sort((a, b) => a - b).join())).size).toBe(120);
    const both = asksOf("round_robin", keysOf(16), { both_orders: true });
    expect(new Set(both.map(({ shown }) => shown.join())).size).toBe(240);
  });

  it("shows about half of the pairs in either order, and other pairs under another seed", () => {
    const asks = asksOf("round_robin", keysOf(64), {});
    const ascending = asks.filter(({ shown: [a, b] }) => (a as number) < (b as number)).length;
    expect(Math.abs(ascending - asks.length / 2)).toBeLessThan(4 * Math.sqrt(asks.length / 4));
    expect(asksOf("round_robin", keysOf(64), {}, 1)).not.toEqual(asks);
  });
});

describe("single_list", () => {
  it("shows every candidate in every list and varies the order by sample", () => {
    const asks = asksOf("single_list", keysOf(5), { samples: 16 });
    expect(asks).toHaveLength(16);
    for (const { shown } of asks) expect([...shown].sort()).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(asks.map(({ shown }) => shown.join())).size).toBeGreaterThan(8);
    expect(asks.map(firstSampleOf)).toEqual([...Array(16).keys()]);
  });

  it("puts each candidate first about equally often", () => {
    const first = [0, 0, 0, 0, 0];
    for (let seed = 0; seed < 500; seed++) {
      const [ask] = asksOf("single_list", keysOf(5), {}, seed);
      const top = ask?.shown[0] as number;
      first[top] = (first[top] as number) + 1;
    }
    for (const count of first) expect(Math.abs(count - 100)).toBeLessThan(45);
  });

  it("refuses more than five candidates by name and asks nothing of one", () => {
    expect(() => asksOf("single_list", keysOf(6), {})).toThrow(ApiError);
    expect(() => asksOf("single_list", keysOf(6), {})).toThrow(/list_candidates_max = 5/);
    expect(asksOf("single_list", keysOf(1), {})).toEqual([]);
  });
});
