// The guarantees of clustered estimates: means, whole clusters drawn, coverage over simulated sets.
import { describe, expect, it } from "vitest";
import { bootstrapRatio, bootstrapTail } from "../../../src/core/math/bootstrap.ts";
import { createRandom } from "../../../src/core/math/random.ts";
import { type EvaluationList, evaluate } from "../../evaluate/figures/evaluation.ts";
import { clusteredRatio } from "../../statistics/clusters.ts";

const OPTIONS = { resamples: 400, seed: 5 };

describe("a clustered ratio", () => {
  it("has the mean of its observations, whatever their clusters", () => {
    const rows = [1, 0, 1, 1].map((over, i) => ({ over, under: 1, cluster: i < 3 ? "a" : "b" }));
    expect(clusteredRatio(rows, OPTIONS)).toMatchObject({ mean: 0.75, n: 4 });
    expect(clusteredRatio([], OPTIONS)).toEqual({ mean: null, ci95: null, n: 0 });
  });

  it("draws clusters whole: the interval is that of the clusters' sums", () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({
      over: (i * 7) % 3,
      under: 1 + (i % 2),
      cluster: `c${i % 12}`,
    }));
    const sums = (field: "over" | "under") =>
      Array.from({ length: 12 }, (_, c) => rows.reduce((sum, row, i) => sum + (i % 12 === c ? row[field] : 0), 0));
    expect(clusteredRatio(rows, OPTIONS).ci95).toEqual(bootstrapRatio(sums("over"), sums("under"), OPTIONS));
  });

  it("without clusters is the plain bootstrap, and observations without one stand alone beside clusters", () => {
    const rows = Array.from({ length: 40 }, (_, i) => ({ over: i % 2, under: 1, cluster: null }));
    const plain = bootstrapRatio(
      rows.map(({ over }) => over),
      rows.map(() => 1),
      OPTIONS,
    );
    expect(clusteredRatio(rows, OPTIONS).ci95).toEqual(plain);
  });

  it("has no interval when all observations are of one cluster", () => {
    const rows = [1, 0, 1].map((over) => ({ over, under: 1, cluster: "only" }));
    expect(clusteredRatio(rows, OPTIONS)).toEqual({ mean: 2 / 3, ci95: null, n: 3 });
  });
});

describe("lists with a cluster", () => {
  it("widen the interval of lists that agree within it", () => {
    const lists = Array.from({ length: 80 }, (_, i) => ({
      pass_rates: [0, 1],
      selected: Math.floor(i / 8) % 2,
      cluster: `p${Math.floor(i / 8)}`,
    }));
    const width = (rows: EvaluationList[]) => {
      const settings = { undefined_tau: "drop", bootstrap: 1000, seed: 0 } as const;
      const [low, high] = evaluate({ lists: rows, ...settings }).list_acc.ci95 as [number, number];
      return high - low;
    };
    expect(width(lists)).toBeGreaterThan(2 * width(lists.map(({ cluster: _, ...list }) => list)));
  });
});

describe("the tails cut from a bootstrap distribution", () => {
  it.each([
    // Student's t(0.975, n - 1) sqrt(n / (n - 1)) from tables, through the normal's tail
    [5, 0.000953],
    [10, 0.008556],
    [30, 0.018754],
    [1_000_000, 0.025],
  ])("for %i entries are %f", (n, expected) => {
    expect(bootstrapTail(n)).toBeCloseTo(expected, 4);
  });
});

/** A set of problems; the six lists of each share its ease. */
function simulatedLists(problems: number, random: () => number): EvaluationList[] {
  return Array.from({ length: problems }, (_, p) => {
    const ease = random();
    const skill = 0.4 + 0.5 * ease;
    return Array.from({ length: 6 }, (): EvaluationList => {
      const parsed = [0, 1, 2].filter(() => random() < 0.6 + 0.35 * ease).length;
      const win_counts = random() < skill ? [2, 1, 0] : [0, 1, 2];
      return {
        pass_rates: [1, 0.5, 0],
        selected: random() < skill ? 0 : 1,
        win_counts,
        generations: 3,
        parsed,
        cluster: `${p}`,
      };
    });
  }).flat();
}

describe("95 % intervals", () => {
  const TRUTH = { list_acc: 0.65, tau_b: 0.3, parse_rate: 0.775 };

  it.each([12, 40])("over sets of %i problems hold the truth in 930 to 970 of 1,000 simulated sets", (problems) => {
    const random = createRandom(7);
    const covered = { list_acc: 0, tau_b: 0, parse_rate: 0 };
    for (let set = 0; set < 1000; set++) {
      const lists = simulatedLists(problems, random);
      const estimates = evaluate({ lists, undefined_tau: "drop", bootstrap: 300, seed: set });
      for (const metric of ["list_acc", "tau_b", "parse_rate"] as const) {
        const [low, high] = estimates[metric].ci95 as [number, number];
        if (low <= TRUTH[metric] && TRUTH[metric] <= high) covered[metric]++;
      }
    }
    for (const metric of ["list_acc", "tau_b", "parse_rate"] as const) {
      expect(covered[metric], metric).toBeGreaterThanOrEqual(930);
      expect(covered[metric], metric).toBeLessThanOrEqual(970);
    }
  });
});
