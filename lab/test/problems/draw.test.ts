// The guarantees of the seeded draws behind the hidden inputs.

import { expect, test } from "vitest";
import fc from "../../../test/harness/property.ts";
import { createDraw } from "../../problems/draw.ts";

test("the same seed gives the same draws, another seed others", () => {
  const sequence = (seed: string) => createDraw(seed).word(20, "abcdefgh");
  expect(sequence("one")).toBe(sequence("one"));
  expect(sequence("one")).not.toBe(sequence("two"));
});

test("integers are whole, stay inside their bounds and reach both", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: -1000, max: 1000 }),
      fc.integer({ min: 0, max: 5 }),
      (seed, low, span) => {
        const draw = createDraw(seed);
        const drawn = draw.list(200, () => draw.int(low, low + span));
        expect(drawn.every((value) => Number.isInteger(value) && value >= low && value <= low + span)).toBe(true);
        expect(new Set(drawn).size).toBe(span + 1);
      },
    ),
  );
});
