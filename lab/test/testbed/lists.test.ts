// The guarantees of drawing lists, evening cells and splitting problems, for any pool.

import { describe, expect, it } from "vitest";
import fc from "../../../test/harness/property.ts";
import { SPLITS } from "../../testbed/format/set-format.ts";
import { countCells, evenCells, type SplitList } from "../../testbed/sets/cells.ts";
import { BUCKET_BOUNDS, type DrawnList, drawLists } from "../../testbed/sets/lists.ts";
import { SHORTCUTS } from "../../testbed/sets/shortcuts.ts";
import { assignSplits, type Split } from "../../testbed/sets/splits.ts";
import { arbitraryPool, candidate } from "./pools.ts";

const options = { seed: 1, per_source_max: 4 };
const rates = ({ candidates }: DrawnList): number[] => candidates.map(({ pass_rate }) => pass_rate ?? Number.NaN);
const ids = ({ candidates }: DrawnList): string[] => candidates.map(({ candidate_id }) => candidate_id);

describe("drawn lists", () => {
  it("hold 2 to 5 candidates of one source with distinct pass rates, exactly one at 1 and the others within the bucket", () => {
    fc.assert(
      fc.property(arbitraryPool, fc.nat(1000), ({ candidates }, seed) => {
        for (const list of drawLists(candidates, { ...options, seed })) {
          const [low, high] = BUCKET_BOUNDS[list.bucket];
          const wrong = rates(list).filter((rate) => rate !== 1);
          expect(list.candidates.length).toBeGreaterThanOrEqual(2);
          expect(list.candidates.length).toBeLessThanOrEqual(5);
          expect(wrong.length).toBe(list.candidates.length - 1);
          expect(new Set(rates(list)).size).toBe(list.candidates.length);
          expect(wrong.every((rate) => rate >= low && rate <= high)).toBe(true);
          const { problem_id, language, generator } = list;
          for (const each of list.candidates) expect(each).toMatchObject({ problem_id, language, generator });
        }
      }),
    );
  });

  it("never repeat a list, and depend on the seed and their own problem alone", () => {
    fc.assert(
      fc.property(arbitraryPool, ({ candidates }) => {
        const lists = drawLists(candidates, options);
        const keys = lists.map((list) => [list.bucket, ...ids(list).sort()].join(" "));
        expect(new Set(keys).size).toBe(keys.length);
        expect(drawLists(candidates, options)).toEqual(lists);
        const [first] = candidates;
        const own = candidates.filter(({ problem_id }) => problem_id === first?.problem_id);
        const alone = drawLists(own, options);
        expect(lists.filter(({ problem_id }) => problem_id === first?.problem_id)).toEqual(alone);
      }),
    );
  });

  it("are as long as there are different pass rates, up to 5", () => {
    const wrong = [14, 15, 16, 17, 18].map((passed) => candidate("p", passed));
    const lengths = (count: number) =>
      drawLists([candidate("p", 20), ...wrong.slice(0, count)], options).map((list) => list.candidates.length);
    expect(Math.max(...lengths(1))).toBe(2);
    expect(Math.max(...lengths(3))).toBe(4);
    expect(Math.max(...lengths(5))).toBe(5);
  });

  it("include the ends of the buckets and nothing between or beyond", () => {
    const bucketOf = (passed: number) =>
      drawLists([candidate("p", 20), candidate("p", passed)], options).map(({ bucket }) => bucket);
    expect([0, 10, 14, 18].map(bucketOf)).toEqual([["easy"], ["easy"], ["hard"], ["hard"]]);
    expect([11, 13, 19].map(bucketOf)).toEqual([[], [], []]);
  });

  it("show the right program at every place about equally often", () => {
    const pool = Array.from({ length: 60 }, (_, i) => [
      candidate(`p${i}`, 20),
      candidate(`p${i}`, 3),
      candidate(`p${i}`, 7),
    ]);
    const lists = drawLists(pool.flat(), options).filter((list) => list.candidates.length === 3);
    const places = lists.map((list) => rates(list).indexOf(1));
    for (const place of [0, 1, 2]) expect(places.filter((at) => at === place).length).toBeGreaterThan(lists.length / 5);
  });

  it("do not use candidates that have no pass rate", () => {
    const unknown = candidate("p", 3, { pass_rate: null, passed: null, total: null });
    expect(drawLists([candidate("p", 20), unknown], options)).toEqual([]);
  });
});

const shares = { train: 0.4, validation: 0.2, test: 0.4 };

function split(lists: readonly DrawnList[], seed: number): SplitList[] {
  const problems = [...new Set(lists.map(({ problem_id }) => problem_id))].map((problem_id) => ({
    problem_id,
    stratum: "",
  }));
  const splits = assignSplits(problems, shares, seed);
  return lists.map((list) => ({ ...list, split: splits.get(list.problem_id) as Split }));
}

describe("splits", () => {
  it("give every problem exactly one split, and each split its share to within one problem", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 80 }), fc.nat(), (names, seed) => {
        const problems = names.map((problem_id) => ({ problem_id, stratum: "" }));
        const splits = assignSplits(problems, shares, seed);
        expect([...splits.keys()].sort()).toEqual([...names].sort());
        for (const name of SPLITS) {
          const count = [...splits.values()].filter((each) => each === name).length;
          expect(Math.abs(count - shares[name] * names.length)).toBeLessThanOrEqual(1.000001);
        }
        expect(assignSplits(problems.toReversed(), shares, seed)).toEqual(splits);
      }),
    );
  });

  it("refuse shares that do not add up to 1", () => {
    expect(() => assignSplits([], { train: 0.5, validation: 0.5, test: 0.5 }, 1)).toThrow("add up to 1.5");
  });
});

describe("evened cells", () => {
  const sizes = { train: 3, validation: 2, test: 4 };

  it("all hold the same number of lists within a split and bucket, which is at most the size asked for", () => {
    fc.assert(
      fc.property(arbitraryPool, fc.nat(1000), ({ candidates }, seed) => {
        const drawn = split(drawLists(candidates, options), seed);
        const kept = evenCells(drawn, sizes, { seed, level: true });
        const cells = countCells(kept);
        expect(kept.every((list) => drawn.includes(list))).toBe(true);
        expect(new Set(kept).size).toBe(kept.length);
        expect(cells.length).toBe(countCells(drawn).length);
        for (const part of Map.groupBy(cells, (cell) => `${cell.split} ${cell.bucket}`).values()) {
          expect(new Set(part.map(({ rows }) => rows)).size).toBe(1);
          expect(part[0]?.rows).toBeLessThanOrEqual(sizes[part[0]?.split ?? "test"]);
        }
      }),
    );
  });

  it("keep what a full cell has when they are not levelled", () => {
    fc.assert(
      fc.property(arbitraryPool, ({ candidates }) => {
        const drawn = split(drawLists(candidates, options), 1);
        const before = countCells(drawn);
        const after = countCells(evenCells(drawn, sizes, { seed: 1, level: false }));
        expect(after).toEqual(before.map((cell) => ({ ...cell, rows: Math.min(cell.rows, sizes[cell.split]) })));
      }),
    );
  });

  it("take lists of every problem before a second of any", () => {
    const pool = ["a", "b", "c"].flatMap((id) => [20, 1, 2, 3, 4].map((passed) => candidate(id, passed)));
    const lists = drawLists(pool, options)
      .filter(({ candidates }) => candidates.length === 2)
      .map((list) => ({ ...list, split: "test" as const }));
    const kept = evenCells(lists, { ...sizes, test: 3 }, { seed: 1, level: false });
    expect(kept.map(({ problem_id }) => problem_id).sort()).toEqual(["a", "b", "c"]);
  });

  /** Forty lists of four with these credits in turn, each of a separate problem. */
  const listsWith = (...credits: SplitList["credits"][]): SplitList[] =>
    Array.from({ length: 40 }, (_, at) => ({
      bucket: "hard",
      problem_id: `p${at}`,
      language: "python",
      generator: "mutation",
      split: "test",
      credits: credits[at % credits.length] as SplitList["credits"],
      candidates: [20, 14, 15, 16].map((passed) => candidate(`p${at}`, passed)),
    }));
  const none = { central: 0, longest: 0, shortest: 0 };

  it("leave each shortcut as many right picks as chance, to within one, where the lists allow it", () => {
    const lists = listsWith(
      { ...none, central: 1, longest: 1 },
      { ...none, longest: 1 },
      { ...none, central: 1, shortest: 1 },
      none,
    );
    for (const seed of [1, 2, 3]) {
      const kept = evenCells(lists, { ...sizes, test: 16 }, { seed, level: false });
      expect(kept).toHaveLength(16);
      for (const shortcut of SHORTCUTS) {
        const right = kept.filter(({ credits }) => credits[shortcut] === 1).length;
        expect(Math.abs(right - 16 / 4)).toBeLessThanOrEqual(1);
      }
    }
  });

  it("give no problem more than its turn for a balance that others can give", () => {
    const lists = listsWith({ ...none, longest: 1 }, { ...none, shortest: 1 }, { ...none, central: 1 }, none).map(
      (list, at) => ({ ...list, problem_id: `p${Math.floor(at / 4)}` }),
    );
    const kept = evenCells(lists, { ...sizes, test: 10 }, { seed: 1, level: false });
    expect(new Set(kept.map(({ problem_id }) => problem_id)).size).toBe(10);
  });
});

describe("drawn lists of mutants", () => {
  it("are kept of every kind, so that cells can balance shortcuts although one kind is rare", () => {
    const wrong = Array.from({ length: 12 }, (_, i) =>
      candidate("p", 14 + (i % 5), { code: `x${"+1".repeat(i === 0 ? 9 : 1)} # ${String(i).padStart(2, "0")}` }),
    );
    const lists = drawLists([candidate("p", 20, { code: "x+1+1 # right" }), ...wrong], options);
    const pairs = lists.filter(({ candidates, bucket }) => candidates.length === 2 && bucket === "hard");
    expect(pairs.filter(({ credits }) => credits.longest === 0)).toHaveLength(1);
    expect(pairs.filter(({ credits }) => credits.longest === 1)).toHaveLength(options.per_source_max);
  });
});
