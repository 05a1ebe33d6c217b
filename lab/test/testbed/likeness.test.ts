// The guarantees of token distance.

import { describe, expect, it } from "vitest";
import fc from "../../../test/harness/property.ts";
import { createDistances, tokenDistance } from "../../testbed/sets/likeness.ts";

/** The textbook recurrence over the whole texts. */
function plainDistance(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return plainDistance(restA, restB);
  return 1 + Math.min(plainDistance(restA, restB), plainDistance(restA, b), plainDistance(a, restB));
}

const words = fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 6 });

describe("token distance", () => {
  it("is the edit distance, with or without equal ends", () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        expect(tokenDistance(a, b)).toBe(plainDistance(a, b));
      }),
    );
  });

  it("of programs does not see blanks", () => {
    const distance = createDistances();
    const program = { id: "1", code: "a = b+1" };
    expect(distance(program, { id: "2", code: "a=b + 1\n" })).toBe(0);
    expect(distance(program, { id: "3", code: "a = b - 1" })).toBe(1);
  });
});
