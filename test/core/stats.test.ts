// The guarantees of the statistics beyond the golden vectors: symmetries, definitions, reproducible intervals
// that cover.

import { describe, expect, it } from "vitest";
import { bootstrapMean, bootstrapRatio } from "../../src/core/math/bootstrap.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { mean, percentile, populationStd } from "../../src/core/math/stats.ts";
import { kendallTauB, spearman } from "../../src/core/math/tau-b.ts";
import fc from "../harness/property.ts";

const pairs = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 10 })), { maxLength: 20 });
const sides = (list: [number, number][]) => [list.map(([x]) => x), list.map(([, y]) => y / 10)] as const;

describe("kendallTauB", () => {
  it("is symmetric, lies in [-1, 1], and flips its sign with either side", () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const [x, y] = sides(list);
        const { tau } = kendallTauB(x, y);
        expect(kendallTauB(y, x).tau).toBe(tau);
        const flipped = kendallTauB(
          x.map((value) => -value),
          y,
        ).tau;
        if (tau === null) {
          expect(flipped).toBeNull();
          return;
        }
        expect(Math.abs(tau)).toBeLessThanOrEqual(1);
        expect(flipped).toBeCloseTo(-tau, 14);
      }),
    );
  });

  it("does not change when the entries are reordered or a side is rescaled", () => {
    fc.assert(
      fc.property(pairs, fc.nat(), (list, seed) => {
        const [x, y] = sides(list);
        const random = createRandom(seed);
        const mixed = [...list].map((pair) => [random(), pair] as const).sort(([a], [b]) => a - b);
        const [mx, my] = sides(mixed.map(([, pair]) => pair));
        expect(
          kendallTauB(
            mx.map((value) => 3 * value + 7),
            my,
          ),
        ).toEqual(kendallTauB(x, y));
      }),
    );
  });

  it("is exactly 1 against itself when nothing ties, and says why it is undefined", () => {
    expect(kendallTauB([3, 1, 2, 9], [3, 1, 2, 9])).toEqual({ tau: 1, undefined: null });
    expect(kendallTauB([], [])).toEqual({ tau: null, undefined: "too_few" });
    expect(kendallTauB([1], [1])).toEqual({ tau: null, undefined: "too_few" });
    expect(kendallTauB([2, 2, 2], [0.1, 0.4, 1])).toEqual({ tau: null, undefined: "tied_wins" });
    expect(kendallTauB([0, 1], [1, 1])).toEqual({ tau: null, undefined: "tied_labels" });
    expect(kendallTauB([1, 1], [1, 1])).toEqual({ tau: null, undefined: "tied_wins" });
    expect(() => kendallTauB([1, 2], [1])).toThrow(RangeError);
  });
});

describe("spearman", () => {
  it("is that of scipy.stats.spearmanr, ties at their mean rank", () => {
    expect(spearman([1, 2, 3, 4, 5], [5, 6, 7, 8, 7])).toBeCloseTo(0.8207826816681233, 14);
    expect(spearman([1, 2, 3], [10, 20, 1000])).toBe(1);
    expect(spearman([1, 2, 3], [3, 2, 1])).toBe(-1);
  });

  it("is null for fewer than two entries and for a side that is all tied", () => {
    expect(spearman([], [])).toBeNull();
    expect(spearman([1], [2])).toBeNull();
    expect(spearman([1, 1], [1, 2])).toBeNull();
    expect(() => spearman([1], [])).toThrow(RangeError);
  });
});

describe("moments and percentiles", () => {
  it("divide by n and interpolate between order statistics", () => {
    expect(mean([1, 2, 6])).toBe(3);
    expect(populationStd([1, 0.5, 0])).toBeCloseTo(Math.sqrt(1 / 6), 15);
    expect(populationStd([4])).toBe(0);
    expect([0, 0.25, 0.5, 0.9, 1].map((q) => percentile([1, 2, 3, 4], q))).toEqual([1, 1.75, 2.5, 3.7, 4]);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it("percentile never leaves the data and never falls as q grows", () => {
    const values = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 });
    const unit = fc.double({ noNaN: true, min: 0, max: 1 });
    fc.assert(
      fc.property(values, unit, unit, (raw, a, b) => {
        const sorted = Float64Array.from(raw).sort();
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((q) => percentile(sorted, q)) as [number, number];
        expect(low).toBeGreaterThanOrEqual(sorted[0] as number);
        expect(high).toBeLessThanOrEqual((sorted.at(-1) as number) + 1e-9);
        expect(low).toBeLessThanOrEqual(high + 1e-9);
      }),
    );
  });
});

describe("bootstrap intervals", () => {
  it("repeat bit for bit for one seed and differ for another", () => {
    const values = Array.from({ length: 50 }, (_, i) => (i * 37) % 11);
    const interval = (seed: number) => bootstrapMean(values, { resamples: 200, seed });
    expect(interval(1)).toEqual(interval(1));
    expect(interval(1)).not.toEqual(interval(2));
    expect(bootstrapMean(values, { resamples: 200, seed: hashText("a", 1) })).not.toEqual(interval(1));
  });

  it("are null without values or resamples, and a point when every value is equal", () => {
    expect(bootstrapMean([], { resamples: 100, seed: 0 })).toBeNull();
    expect(bootstrapMean([1, 2], { resamples: 0, seed: 0 })).toBeNull();
    expect(bootstrapMean([0.25, 0.25], { resamples: 100, seed: 0 })).toEqual([0.25, 0.25]);
    expect(bootstrapRatio([1, 2], [2, 4], { resamples: 100, seed: 0 })).toEqual([0.5, 0.5]);
  });

  it("agree with the normal interval of a large sample", () => {
    const random = createRandom(7);
    const values = Array.from({ length: 2000 }, () => (random() < 0.3 ? 1 : 0));
    const [low, high] = bootstrapMean(values, { resamples: 2000, seed: 7 }) as [number, number];
    const centre = mean(values);
    const half = (1.96 * populationStd(values)) / Math.sqrt(values.length);
    expect(Math.abs(low - (centre - half))).toBeLessThan(0.003);
    expect(Math.abs(high - (centre + half))).toBeLessThan(0.003);
  });

  it("of a ratio weigh each entry by its denominator", () => {
    const [low, high] = bootstrapRatio([0, 90], [10, 90], { resamples: 500, seed: 3 }) as [number, number];
    expect([low, high]).toEqual([0, 1]);
  });
});
