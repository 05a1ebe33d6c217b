// Diffs of lines: right whatever the budget, shortest within it, written as the package `diff` writes
// them, and linear where no budget is left.
import { applyPatch, formatPatch, OMIT_HEADERS, structuredPatch } from "diff";
import { expect, it } from "vitest";
import { drained } from "../../src/core/math/drained.ts";
import { unifiedDiff } from "../../src/core/text/line-diff.ts";
import fc from "../harness/property.ts";

const diffOf = (base: string, text: string, steps = 1e9) => drained(unifiedDiff(base, text, { steps }));
const applied = (base: string, patch: string) => (patch === "" ? base : applyPatch(base, `--- a\n+++ a\n${patch}\n`));
const edits = (patch: string) => patch.split("\n").filter((line) => /^[-+]/.test(line)).length;

const line = fc.constantFrom("a", "b", "c", "", "  x", "return 1", "}", "-", "+a", "@@ -1 +1 @@", "é\r");
const text = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""));

it("make one text into the other under every budget, and are as short as the package's with enough", () => {
  fc.assert(
    fc.property(text, text, fc.constantFrom(0, 20, 100, 1e9), (base, changed, steps) => {
      const patch = diffOf(base, changed, steps);
      expect(applied(base, patch)).toBe(changed);
      const other = formatPatch(
        structuredPatch("a", "a", base, changed, undefined, undefined, { context: 3 }),
        OMIT_HEADERS,
      ).replace(/\n$/, "");
      if (steps === 1e9) expect(edits(patch)).toBe(edits(other));
    }),
    { numRuns: 2_000 },
  );
});

it("of few changes in much text are the package's, letter by letter", () => {
  const names = fc.array(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(names, fc.boolean(), (at, ends) => {
      const lines = Array.from({ length: 60 }, (_, i) => `line ${i}`);
      const base = lines.join("\n") + (ends ? "\n" : "");
      const changed = lines.flatMap((one, i) => (at.includes(i) ? (i % 3 === 0 ? [] : [`${one}!`, "more"]) : [one]));
      const next = changed.join("\n") + (ends ? "\n" : "");
      const other = structuredPatch("a", "a", base, next, undefined, undefined, { context: 3 });
      expect(diffOf(base, next)).toBe(formatPatch(other, OMIT_HEADERS).replace(/\n$/, ""));
    }),
    { numRuns: 300 },
  );
});

it("without a budget are split at lines that stand once, and take steps linear in the lines", () => {
  const lines = (changed: number) => Array.from({ length: 20_000 }, (_, i) => `${i}${i % changed === 0 ? "!" : ""}\n`);
  const [base, next] = [lines(20_001).slice(1).join(""), lines(40).slice(1).join("")];
  let steps = 0;
  const work = unifiedDiff(base, next, { steps: 200_000 });
  let result = work.next();
  for (; result.done !== true; result = work.next()) steps += result.value;
  expect(edits(result.value)).toBe(2 * 499);
  expect(steps).toBeLessThan(700_000);
  expect(applied(base, result.value)).toBe(next);
});

it("that find nothing in common replace the whole, by steps of the budget and the lines", () => {
  const many = (word: string) => `${word}\n`.repeat(100_000);
  let steps = 0;
  const work = unifiedDiff(`${many("a")}${many("b")}`, `${many("b")}${many("a")}`, { steps: 300_000 });
  let result = work.next();
  for (; result.done !== true; result = work.next()) steps += result.value;
  expect(steps).toBeLessThan(300_000 + 12 * 400_000);
});
