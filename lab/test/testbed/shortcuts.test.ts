// The guarantees of what a list gives away by its programs' form.

import { describe, expect, it } from "vitest";
import fc from "../../../test/harness/property.ts";
import { createCredits, pickCredit, SHORTCUTS, shortcutAccuracy } from "../../testbed/sets/shortcuts.ts";
import { candidate } from "./pools.ts";

/** A list of programs; the one marked right passes everything. */
const list = (right: number, ...codes: string[]) =>
  codes.map((code, i) => candidate("p", i === right ? 20 : i, { code, candidate_id: `c${i}` }));

describe("a shortcut's credit", () => {
  it("is 1 for the one right pick, 0 for a wrong one, shared among those that tie", () => {
    expect(pickCredit([1, 3, 2], 1)).toBe(1);
    expect(pickCredit([1, 3, 2], 0)).toBe(0);
    expect(pickCredit([3, 1, 3], 0)).toBe(0.5);
    expect(pickCredit([2, 2], 1)).toBe(0.5);
  });

  it("adds up to 1 over the places of a list, whichever of them is right", () => {
    const words = fc.array(fc.constantFrom("a", "bb", "+"), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(words, { minLength: 2, maxLength: 5 }), (programs) => {
        const codes = programs.map((program) => program.join(" "));
        const credits = codes.map((_, right) => createCredits()(list(right, ...codes)));
        for (const shortcut of SHORTCUTS) {
          expect(credits.reduce((sum, each) => sum + each[shortcut], 0)).toBeCloseTo(1);
        }
      }),
    );
  });

  it("is for the program most like the others, the one of most and the one of fewest characters", () => {
    const codes = ["a + b", "a + b + cc", "a"];
    const credits = codes.map((_, right) => createCredits()(list(right, ...codes)));
    expect(credits).toEqual([
      { central: 1, longest: 0, shortest: 0 },
      { central: 0, longest: 1, shortest: 0 },
      { central: 0, longest: 0, shortest: 1 },
    ]);
  });
});

it("the accuracy of shortcuts is their mean credit, compared with a random pick; without lists it is undefined", () => {
  const lists = [list(0, "long one", "b"), list(1, "aaa", "b", "bb", "cc")].map((candidates) => ({ candidates }));
  expect(shortcutAccuracy(lists)).toMatchObject({ chance: 0.375, accuracy: { longest: 0.5, shortest: 0.5 } });
  expect(shortcutAccuracy([])).toBeNull();
});
