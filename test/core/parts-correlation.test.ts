// How far the parts of a reward agree on a group: by hand, by Kendall's coefficient, and where it is
// undefined.
import { describe, expect, test } from "vitest";
import { type Valued, valued, without } from "../../src/core/asking/signal-value.ts";
import { partsCorrelation } from "../../src/core/tournament/metrics.ts";
import fc from "../harness/property.ts";

const part = (...values: (number | null)[]): Valued[] =>
  values.map((value) => (value === null ? without("deadline") : valued(value)));

describe("the correlation of a reward's parts", () => {
  test("is the mean over their pairs", () => {
    // Spearman's: 0.8, -1 and -0.8.
    expect(partsCorrelation([part(1, 2, 3, 4), part(10, 20, 40, 30), part(4, 3, 2, 1)])).toBeCloseTo(-1 / 3, 15);
    expect(partsCorrelation([part(1, 2, 3), part(-7, 0, 9)])).toBeCloseTo(1, 15);
  });

  test("is (m W - 1) / (m - 1) of Kendall's W where nothing is tied", () => {
    const ranks = (n: number) => fc.shuffledSubarray([...Array(n).keys()], { minLength: n });
    const judged = fc.tuple(fc.integer({ min: 2, max: 8 }), fc.integer({ min: 2, max: 5 }));
    const parts = judged.chain(([n, m]) => fc.array(ranks(n), { minLength: m, maxLength: m }));
    fc.assert(
      fc.property(parts, (of) => {
        const [m, n] = [of.length, of[0]?.length ?? 0];
        const sums = of[0]?.map((_, r) => of.reduce((sum, one) => sum + (one[r] as number) + 1, 0)) ?? [];
        const spread = sums.reduce((sum, one) => sum + (one - (m * (n + 1)) / 2) ** 2, 0);
        const concordance = (12 * spread) / (m ** 2 * (n ** 3 - n));
        expect(partsCorrelation(of.map((one) => part(...one)))).toBeCloseTo((m * concordance - 1) / (m - 1), 12);
      }),
    );
  });

  test("takes the rollouts that have every part, and leaves out a part that never varies", () => {
    const found = partsCorrelation([part(1, null, 3, 2), part(1, 5, 2, null), part(0, 0, 0, 0)]);
    expect(found).toBeCloseTo(1, 15);
  });

  test("is the same to the last bit whatever order rollouts come in, and never beyond 1", () => {
    const rollout = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(rollout, { minLength: 1, maxLength: 20 }), (rollouts) => {
        const of = (some: typeof rollouts) =>
          partsCorrelation([0, 1, 2, 3].map((p) => part(...some.map((one) => one[p] as number))));
        const found = of(rollouts);
        expect(of([...rollouts].reverse())).toBe(found);
        expect(Math.abs(found ?? 0)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("is null of one part, of parts that never vary, and of a single rollout: never 0", () => {
    expect(partsCorrelation([])).toBeNull();
    expect(partsCorrelation([part(1, 2, 3)])).toBeNull();
    expect(partsCorrelation([part(1, 2, 3), part(0, 0, 0)])).toBeNull();
    expect(partsCorrelation([part(1), part(2)])).toBeNull();
    expect(partsCorrelation([part(1, null), part(null, 2)])).toBeNull();
  });
});
