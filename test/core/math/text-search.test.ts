// Owns the guarantees of searching and comparing texts: the same answer as the plain way has, and a
// time that does not hang on how alike the two are.

import { describe, expect, it } from "vitest";
import { commonSubsequence } from "../../../src/core/text/common-subsequence.ts";
import { holds } from "../../../src/core/text/text-search.ts";
import { cpuMs } from "../../harness/cpu-time.ts";
import fc from "../../harness/property.ts";

const few = (max: number) => fc.array(fc.constantFrom("a", "b", "ab", "\ud83d"), { maxLength: max });

describe("whether a text holds another", () => {
  it("is what the runtime says", () => {
    const long = fc.tuple(few(40), fc.integer({ min: 1, max: 400 }));
    fc.assert(
      fc.property(long, few(20), few(3), ([text, times], part, end) => {
        const whole = text.join("").repeat(times) + end.join("");
        const sought = part.join("").repeat(Math.ceil(times / 3)) + end.join("");
        expect(holds(whole, sought)).toBe(whole.includes(sought));
      }),
    );
  });

  it("takes no longer where they are near-matches", () => {
    const part = `${"a".repeat(300_000)}b`;
    const started = cpuMs();
    expect(holds("a".repeat(1_000_000), part)).toBe(false);
    // The product of both is 3e11; a second is what the sum takes on the slowest machine.
    expect(cpuMs() - started).toBeLessThan(1_000);
  });
});

it("the longest common subsequence is the plain recurrence's, whichever comes first", () => {
  const plain = (a: readonly string[], b: readonly string[]) => {
    let row = new Array<number>(b.length + 1).fill(0);
    for (const x of a) {
      const next = [0];
      b.forEach((y, j) => {
        next.push(x === y ? (row[j] as number) + 1 : Math.max(row[j + 1] as number, next[j] as number));
      });
      row = next;
    }
    return row.at(-1) as number;
  };
  fc.assert(
    fc.property(few(90), few(90), (a, b) => {
      expect(commonSubsequence(a, b)).toBe(plain(a, b));
      expect(commonSubsequence(b, a)).toBe(plain(a, b));
    }),
  );
});
