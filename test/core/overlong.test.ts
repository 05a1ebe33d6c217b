// The guarantees of the soft overlong punishment beyond the golden vectors.

import { describe, expect, it } from "vitest";
import { softOverlong } from "../../src/core/candidate/overlong.ts";
import fc from "../harness/property.ts";

const settings = fc
  .tuple(fc.integer({ min: 1, max: 30_000 }), fc.integer({ min: 1, max: 30_000 }), fc.boolean())
  .map(([a, b, clamp]) => ({ max_tokens: Math.max(a, b), cache_tokens: Math.min(a, b), clamp }));
const length = fc.nat(70_000);

describe("softOverlong", () => {
  it("never rises with length, is never -0, and stays in [-1, 0] when clamped", () => {
    fc.assert(
      fc.property(settings, length, length, (overlong, a, b) => {
        const [short, long] = [softOverlong(Math.min(a, b), overlong), softOverlong(Math.max(a, b), overlong)];
        expect(long).toBeLessThanOrEqual(short);
        for (const value of [short, long]) {
          expect(Object.is(value, -0)).toBe(false);
          expect(value).toBeLessThanOrEqual(0);
          if (overlong.clamp) expect(value).toBeGreaterThanOrEqual(-1);
        }
      }),
    );
  });

  it("is 0 up to M - C, -1/C one token later, exactly -1 at M, and only then does clamping matter", () => {
    fc.assert(
      fc.property(settings, fc.integer({ min: 1, max: 1000 }), (overlong, beyond) => {
        const { max_tokens: m, cache_tokens: c } = overlong;
        expect(softOverlong(m - c, overlong)).toBe(0);
        expect(softOverlong(m - c + 1, overlong)).toBe(-1 / c);
        expect(softOverlong(m, overlong)).toBe(-1);
        expect(softOverlong(m + beyond, { ...overlong, clamp: true })).toBe(-1);
        expect(softOverlong(m + beyond, { ...overlong, clamp: false })).toBe(-(c + beyond) / c);
      }),
    );
  });
});
