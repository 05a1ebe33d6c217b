// Rewards have the same bits in workerd as in Node, so that rescoring a log in Node is bit-equal.
import { expect, test } from "vitest";
import { CASES, differing } from "../core/math/recorded-bits.ts";

test("has the bits that Node recorded", () => {
  expect(CASES.length).toBeGreaterThan(300);
  expect(differing()).toEqual([]);
});
