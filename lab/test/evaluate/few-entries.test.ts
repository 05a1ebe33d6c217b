// Intervals where resamples tell nothing: of all equal values, and of so few that none lies outside.
import { describe, expect, it, test } from "vitest";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { type EvaluationList, evaluate } from "../../evaluate/figures/evaluation.ts";
import { clusteredRatio, type RatioOptions } from "../../statistics/clusters.ts";
import { binomialInterval, ENTRIES_FEW } from "../../statistics/few-entries.ts";

/** Hits, trials, and scipy 1.17.1: binomtest(hits, trials).proportion_ci(0.95, "exact"). */
const EXACT: readonly (readonly [number, number, number, number])[] = [
  [0, 1, 0.0, 0.975],
  [1, 1, 0.025000000000000022, 1.0],
  [0, 2, 0.0, 0.841886116991607],
  [1, 2, 0.01257911709367899, 0.987420882906321],
  [2, 2, 0.15811388300839305, 1.0],
  [0, 3, 0.0, 0.7075982261787133],
  [1, 3, 0.008403758659612647, 0.9057006759492866],
  [2, 3, 0.09429932405071303, 0.9915962413403874],
  [3, 3, 0.2924017738212867, 1.0],
  [0, 4, 0.0, 0.6023646356164858],
  [1, 4, 0.006309463209709889, 0.8058795503167566],
  [2, 4, 0.06758598648854298, 0.932414013511457],
  [3, 4, 0.19412044968324338, 0.9936905367902901],
  [4, 4, 0.3976353643835142, 1.0],
  [0, 5, 0.0, 0.5218237501049814],
  [1, 5, 0.005050763379468115, 0.7164179361180895],
  [2, 5, 0.05274495052631566, 0.8533672003653274],
  [4, 5, 0.28358206388191054, 0.9949492366205319],
  [5, 5, 0.47817624989501856, 1.0],
  [0, 12, 0.0, 0.26464846939705117],
  [1, 12, 0.0021075932318616332, 0.38479616515094384],
  [2, 12, 0.020862525459661812, 0.4841377486860764],
  [6, 12, 0.2109446382392967, 0.7890553617607032],
  [11, 12, 0.6152038348490562, 0.9978924067681384],
  [12, 12, 0.7353515306029488, 1.0],
  [0, 40, 0.0, 0.08809730287880335],
  [1, 40, 0.0006327449320901936, 0.13158585848276577],
  [2, 40, 0.006113646599346682, 0.16919686395941763],
  [20, 40, 0.3380178137372346, 0.6619821862627654],
  [39, 40, 0.8684141415172343, 0.9993672550679098],
  [40, 40, 0.9119026971211966, 1.0],
];

test.each(EXACT)("%i of %i hits are scipy's exact interval", (hits, n, low, high) => {
  const [own, other] = binomialInterval(hits, n);
  expect(own).toBeCloseTo(low, 9);
  expect(other).toBeCloseTo(high, 9);
});

const UNIT: RatioOptions = { resamples: 200, seed: 3, range: [0, 1] };
const intervalOf = (values: readonly number[], options = UNIT, clusters: readonly string[] = []) =>
  clusteredRatio(
    values.map((over, i) => ({ over, under: 1, cluster: clusters[i] ?? null })),
    options,
  ).ci95;

describe("an evaluation", () => {
  const lists = (count: number, right: number, tags = {}) =>
    Array.from({ length: count }, (_, i) => ({
      ...{ pass_rates: [1, 0.5, 0], selected: i < right ? 0 : 1, win_counts: [2, 1, 0] },
      ...{ parsed: i < right ? 3 : 0, generations: 3, ...tags },
    }));
  const run = (all: EvaluationList[]) => evaluate({ lists: all, undefined_tau: "drop", bootstrap: 200, seed: 0 });

  it.each(EXACT.filter(([hits, n]) => hits === 0 || hits === n || n <= ENTRIES_FEW))(
    "of %i right of %i lists has the exact interval of both ListAcc and parse rate",
    (hits, n, low, high) => {
      const { list_acc, parse_rate } = run(lists(n, hits));
      expect(list_acc.ci95?.[0]).toBeCloseTo(low, 9);
      expect(list_acc.ci95?.[1]).toBeCloseTo(high, 9);
      if (hits !== 0 && hits !== n) return;
      expect(parse_rate.ci95?.[0]).toBeCloseTo(low, 9);
      expect(parse_rate.ci95?.[1]).toBeCloseTo(high, 9);
    },
  );

  it("of lists that are all in the true order does not report tau-b 1 with certainty", () => {
    const { tau_b } = run(lists(12, 12));
    // 0.025^(1/12) of [-1, 1].
    expect(tau_b.mean).toBe(1);
    expect(tau_b.ci95?.[0]).toBeCloseTo(2 * 0.7353515306029488 - 1, 9);
    expect(tau_b.ci95?.[1]).toBe(1);
  });

  it("counts the lists of one cluster as one trial, also by tag", () => {
    const clustered = Array.from({ length: 4 }, (_, c) =>
      lists(5, 5, { cluster: `c${c}`, tags: { part: c % 2 } }),
    ).flat();
    const { list_acc, by_tag } = run(clustered);
    expect(list_acc.ci95?.[0]).toBeCloseTo(0.3976353643835142, 9);
    expect(by_tag.part?.["0"]?.list_acc.ci95?.[0]).toBeCloseTo(0.15811388300839305, 9);
    expect(run(lists(5, 5, { cluster: "one" })).list_acc.ci95?.[0]).toBeCloseTo(0.025, 9);
  });

  it("of nothing, or without resamples, has no interval", () => {
    expect(run([{ pass_rates: [0.5, 1] }]).list_acc).toEqual({ mean: null, ci95: null, n: 0 });
    expect(intervalOf([1, 1], { ...UNIT, resamples: 0 })).toBeNull();
  });
});

describe("single hits and misses", () => {
  it.each([1, 2, 3, 4, 5])("of %i trials cover every probability in at least 95 of 100 draws", (n) => {
    const choose = (k: number) => Array.from({ length: k }, (_, i) => (n - i) / (i + 1)).reduce((a, b) => a * b, 1);
    for (let p = 0.01; p < 1; p += 0.01) {
      let held = 0;
      for (let hits = 0; hits <= n; hits++) {
        const [low, high] = intervalOf(Array.from({ length: n }, (_, i) => Number(i < hits))) as [number, number];
        if (low <= p && p <= high) held += choose(hits) * p ** hits * (1 - p) ** (n - hits);
      }
      expect(held, `p = ${p}`).toBeGreaterThanOrEqual(0.95);
    }
  });
});

describe("tau-b of few lists", () => {
  const RANGE: RatioOptions = { ...UNIT, range: [-1, 1] };
  // Kendall's tau of a list of three without a tie: a verifier agrees with each pair at this rate.
  const drawn = (random: () => number, right: number) => ([0, 1, 2].filter(() => random() < right).length * 2) / 3 - 1;

  it.each([2, 3, 4, 5])("covers the mean in 92 of 100 simulated evaluations of %i lists", (n) => {
    for (const right of [0.5, 0.7, 0.9]) {
      const random = createRandom(hashText("few", n, right));
      let held = 0;
      const times = 400;
      for (let k = 0; k < times; k++) {
        const [low, high] = intervalOf(
          Array.from({ length: n }, () => drawn(random, right)),
          RANGE,
        ) as [number, number];
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(high).toBeLessThanOrEqual(1);
        if (low <= 2 * right - 1 && 2 * right - 1 <= high) held++;
      }
      expect(held / times, `right ${right}`).toBeGreaterThanOrEqual(0.92);
    }
  });

  it("is not a single point if all values are equal", () => {
    for (const value of [-1, -1 / 3, 0, 1 / 3, 1]) {
      for (const n of [1, 2, 5, 30]) {
        const [low, high] = intervalOf(new Array(n).fill(value), RANGE) as [number, number];
        expect(high - low).toBeGreaterThan(0.05);
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
      }
    }
  });
});
