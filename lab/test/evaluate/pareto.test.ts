// The guarantees of the Pareto front: hand-checked figures, ties, and who may not be on it.

import { describe, expect, it } from "vitest";
import { byUnit, frontStatus, type Point, paretoFront } from "../../../lab/evaluate/pareto.ts";
import fc from "../../../test/harness/property.ts";

const point = (name: string, cost: number, list_acc: number | null, more: Partial<Point> = {}): Point => ({
  name,
  cost,
  cost_unit: "$ a step",
  list_acc,
  tau_b: null,
  parse_rate: 1,
  ...more,
});

const names = (points: readonly Point[]) => points.map(({ name }) => name);

/**
 * Training recipes of three sizes in the manner of the paper's cost tables. The costs of `instruct-7b`,
 * `dpo-14b` and `grpo-14b` are the paper's ($2.07, $7.09, 5.2 times that); the rest is made up around its
 * statements, so that the front can be checked by hand.
 */
const RECIPES = [
  point("instruct-1.5b", 0.6, 0.48, { tau_b: 0.2 }),
  point("grpo-1.5b", 3.1, 0.58, { tau_b: 0.41 }),
  point("dpo-1.5b", 0.4, 0.55, { tau_b: 0.5, parse_rate: 0.43 }),
  point("instruct-7b", 2.07, 0.66, { tau_b: 0.45 }),
  point("raft-7b", 8.2, 0.7, { tau_b: 0.5 }),
  point("grpo-7b", 12.4, 0.74, { tau_b: 0.62 }),
  point("dpo-14b", 7.09, 0.79, { tau_b: 0.68 }),
  point("raft-14b", 24, 0.76, { tau_b: 0.6 }),
  point("grpo-14b", 36.87, 0.8, { tau_b: 0.72 }),
];

describe("the front", () => {
  it("matches a front computed by hand, for both metrics, without the verifier that parses 43 %", () => {
    const front = ["instruct-1.5b", "instruct-7b", "dpo-14b", "grpo-14b"];
    expect(names(paretoFront(RECIPES, "list_acc"))).toEqual(front);
    expect(names(paretoFront(RECIPES, "tau_b"))).toEqual(front);
    expect(frontStatus(RECIPES, "tau_b")[2]).toBe("parse_rate_low");
  });

  it("does not let an excluded verifier dominate another one", () => {
    const low = point("low", 1, 0.9, { parse_rate: 0.79 });
    const fine = point("fine", 2, 0.5, { parse_rate: 0.8 });
    expect(frontStatus([low, fine], "list_acc")).toEqual(["parse_rate_low", null]);
  });

  it("keeps equal points, and drops one that only costs more or is only worse", () => {
    const points = [point("a", 1, 0.5), point("b", 1, 0.5), point("dearer", 2, 0.5), point("worse", 1, 0.4)];
    expect(frontStatus(points, "list_acc")).toEqual([null, null, "dominated", "dominated"]);
  });

  it("excludes points with a missing metric or an unknown parse rate", () => {
    const points = [point("none", 1, null), point("unknown", 1, 0.9, { parse_rate: null })];
    expect(frontStatus(points, "list_acc")).toEqual(["no_value", "parse_rate_unknown"]);
  });

  it("rises strictly with cost between different points, and nothing off it beats it", () => {
    const any = fc.record({ cost: fc.integer({ min: 0, max: 9 }), value: fc.integer({ min: 0, max: 9 }) });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 30 }), (rows) => {
        const points = rows.map(({ cost, value }, i) => point(`${i}`, cost, value / 10));
        const front = paretoFront(points, "list_acc");
        for (const [i, next] of front.entries()) {
          const before = front[i - 1];
          if (before === undefined || before.cost === next.cost) continue;
          expect(next.list_acc as number).toBeGreaterThan(before.list_acc as number);
        }
        for (const { cost, list_acc } of points) {
          expect(front.some((on) => on.cost <= cost && (on.list_acc as number) >= (list_acc as number))).toBe(true);
        }
      }),
    );
  });

  it("is separate for each unit of cost: points of different units never dominate each other", () => {
    const tokens = (name: string, cost: number, list_acc: number) =>
      point(name, cost, list_acc, { cost_unit: "tokens a list" });
    const points = [point("a", 2, 0.5), tokens("b", 1, 0.9), point("worse", 3, 0.4), tokens("dearer", 2, 0.9)];
    expect(frontStatus(points, "list_acc")).toEqual([null, null, "dominated", "dominated"]);
    expect(names(paretoFront(points, "list_acc"))).toEqual(["a", "b"]);
    expect(byUnit(points).map(names)).toEqual([
      ["a", "worse"],
      ["b", "dearer"],
    ]);
  });
});
