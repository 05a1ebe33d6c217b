// Holds that a text which has fallen into a loop is noticed, soon, and that long regular texts are
// not taken for one.

import { describe, expect, it } from "vitest";
import {
  endsInLoop,
  PERIOD_CHARS_MAX,
  RepetitionDetector,
  TAIL_CHARS_MIN,
  TURNS_MIN,
} from "../../gpu-backend/gateway/engines/repetition.ts";
import { createRandom } from "../../src/core/math/random.ts";
import fc from "../harness/property.ts";

/** The number of characters after which the detector speaks up; null when it never does. */
function noticedAt(text: string, piece = 5): number | null {
  const detector = new RepetitionDetector();
  for (let at = 0; at < text.length; at += piece) {
    if (detector.push(text.slice(at, at + piece))) return Math.min(text.length, at + piece);
  }
  return null;
}

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");

/** Text without a loop: words drawn by a seed. */
function prose(chars: number, seed: number): string {
  const random = createRandom(seed);
  let text = "";
  while (text.length < chars) text += `${Math.floor(random() * 1e6).toString(36)} `;
  return text.slice(0, chars);
}

describe("a loop", () => {
  it("of any period up to the bound, after any text, is noticed at most a look after it has run its turns", () => {
    const period = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: PERIOD_CHARS_MAX }));
    fc.assert(
      fc.property(period, fc.nat(20_000), fc.integer({ min: 1, max: 400 }), fc.nat(), (size, before, piece, seed) => {
        const turn = prose(size, seed);
        const text = prose(before, seed + 1) + turn.repeat(Math.ceil(24_000 / size));
        const at = noticedAt(text, piece);
        expect(at).not.toBeNull();
        const needed = before + Math.max(TAIL_CHARS_MIN, TURNS_MIN * size);
        expect(at).toBeLessThanOrEqual(needed + 2_048 + 2 * piece);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ["a sentence", "Wait, let me check the second candidate again. "],
    ["one word", "the "],
    ["a paragraph", prose(1_500, 3)],
    ["blank lines", "\n"],
    ["emoji", "🤔🤔 hm "],
  ])("%s said again and again is one", (_, turn) => {
    expect(noticedAt(`Let me think.\n${turn.repeat(20_000 / turn.length)}`)).not.toBeNull();
  });

  it("stays noticed", () => {
    const detector = new RepetitionDetector();
    detector.push("ab ".repeat(4_000));
    expect([detector.looping, detector.push(prose(10_000, 1)), detector.looping]).toEqual([true, true, true]);
  });
});

describe("no loop is seen in", () => {
  it.each([
    ["a long numbered list", lines(2_000, (i) => `${i + 1}. The loop handles this case.`)],
    ["a table", lines(1_500, (i) => `| case ${i} | ${i * 3} | ok | ok | ok | ok |`)],
    ["a table of squares", lines(300, (i) => `${i} ${i * i} ${i ** 3}`)],
    ["code of similar lines", lines(1_200, (i) => `    dp[${i >> 5}][${i & 31}] = max(dp[${i >> 5}][${i & 31}], 0)`)],
    ["a case analysis", lines(400, (i) => `If x = ${i}: A gives ${i % 7}, B gives ${(i * 5) % 7}. So far so good.`)],
    ["a trace of a program", lines(3_000, (i) => `i=${i} sum=${(i * (i + 1)) / 2}`)],
    ["a row of three thousand zeros' characters", `${"0, ".repeat(1_000)}done. ${prose(8_000, 4)}`],
    ["sixty rules across the page", `${"-".repeat(60)}\n`.repeat(60) + prose(8_000, 4)],
    ["a program quoted three times", prose(4_000, 9).repeat(3)],
    ["a paragraph said twice, then again after others", prose(1_800, 5).repeat(2) + prose(3_000, 6) + prose(1_800, 5)],
    ["the digits of a long fraction", prose(60_000, 12)],
  ])("%s", (_, text) => {
    expect(noticedAt(text)).toBeNull();
  });

  it("any text that has no tail of four equal turns", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 3 })), { maxLength: 12 }),
        (parts) => {
          const text = parts.map(([size, turns], i) => prose(size, i * 31 + size).repeat(turns)).join("");
          expect(noticedAt(text, 64)).toBeNull();
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("a tail", () => {
  /** The definition itself, tried period by period. */
  const byDefinition = (text: string): boolean => {
    for (let period = 1; period <= text.length / TURNS_MIN; period++) {
      let same = 0;
      while (same + period < text.length && text.at(-1 - same) === text.at(-1 - same - period)) same++;
      const tail = same + period;
      if (tail >= TAIL_CHARS_MIN && tail >= TURNS_MIN * period) return true;
    }
    return false;
  };

  it("is a loop exactly by the definition: long enough, and of four turns", () => {
    const cases = fc.tuple(fc.nat(300), fc.integer({ min: 900, max: 1_100 }), fc.integer({ min: 4_050, max: 4_450 }));
    fc.assert(
      fc.property(cases, fc.nat(), ([before, size, chars], seed) => {
        const text = prose(before, seed + 1) + prose(size, seed).repeat(5).slice(0, chars);
        expect(endsInLoop(text)).toBe(byDefinition(text));
      }),
      { numRuns: 80 },
    );
  });
});
