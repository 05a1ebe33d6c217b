// The guarantees of the strict parsers: equal to the regular expressions they restate, and linear where those
// are not.

import { describe, expect, it } from "vitest";
import { firstBox, isLetterForm, isScoresForm, strictContent } from "../../src/core/formulations/strict-verdict.ts";
import { PYTHON_SPACE_CLASS, parsePythonIntList, roundHalfEven, strip } from "../../src/core/text/python-text.ts";
import { cpuMs } from "../harness/cpu-time.ts";
import fc from "../harness/property.ts";
import { lines } from "../harness/vector-lines.ts";

const FRAGMENTS = [
  "<think>",
  "</think>",
  "\\boxed{",
  "}",
  "A",
  "B",
  "C",
  "\n",
  "\r",
  " ",
  "x",
  "\u00a0",
  "\u200b",
  "\ufeff",
  "\x1c",
  "[3,4]",
  "[3,\n4]",
  "\\boxed{B}",
  "\\boxed{[10, 4]}",
  "\u0663",
  "\u2028",
];
const pieces = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 10 }).map((parts) => parts.join(""));
const framed = fc
  .tuple(
    pieces,
    fc.constantFrom("", " ", "\n\u00a0"),
    fc.constantFrom("\\boxed{B}", "\\boxed{[3,4]}", "\\boxed{[3,\n 4]}", "\\boxed{C}"),
    fc.constantFrom("", "\n", "\x1c", "."),
  )
  .map(([inner, gap, box, tail]) => `<think>${inner}</think>${gap}${box}${tail}`);
const texts = fc.oneof(pieces, framed);

const S = `[${PYTHON_SPACE_CLASS}]`;
const THOUGHTS = `^<think>(?!.*<think>).*?</think>${S}*`;
const LETTER = "\\\\boxed\\{[AB]\\}$";
const SCORES = `\\\\boxed\\{\\[\\p{Nd}+(?:,${S}*\\p{Nd}+){1}\\]\\}$`;

describe("strict forms", () => {
  it.each([
    ["letters, think", isLetterForm, "think", THOUGHTS + LETTER],
    ["letters, cot", isLetterForm, "cot", LETTER],
    ["scores, think", isScoresForm, "think", THOUGHTS + SCORES],
    ["scores, cot", isScoresForm, "cot", SCORES],
  ] as const)("%s: equal to the regular expression of the design's formulas", (_, isForm, style, source) => {
    const pattern = new RegExp(source, "su");
    fc.assert(
      fc.property(texts, (text) => {
        expect(isForm(text, 2, style)).toBe(pattern.test(strip(text)));
      }),
      { numRuns: 2000 },
    );
  });

  it("extract the first shortest box on one line, like the regular expression", () => {
    const pattern = /\\boxed\{([^\n]*?)\}/;
    fc.assert(
      fc.property(texts, (text) => {
        expect(strictContent(text, "cot")).toBe(pattern.exec(text)?.[1] ?? null);
        expect(strictContent(text, "think")).toBe(pattern.exec(text.split("</think>").at(-1) as string)?.[1] ?? null);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["open boxes", "\\boxed{".repeat(75_000)],
    ["open boxes on lines, one brace at the end", `${"\\boxed{\n".repeat(65_000)}}`],
    ["blanks before the box", `<think></think>${" ".repeat(500_000)}\\boxed{B}`],
    ["closing tags", `<think>${"</think>".repeat(65_000)}\\boxed{C}`],
    ["digits", `<think></think>\\boxed{[${"9".repeat(500_000)},1]`],
    ["a long list", `<think></think>\\boxed{[${"1, ".repeat(170_000)}1]}`],
  ])("take linear time on 512 KiB of %s", (_, text) => {
    const start = cpuMs();
    firstBox(text, 0);
    isLetterForm(text, 2, "think");
    isScoresForm(text, 5, "think");
    parsePythonIntList(strictContent(text, "think") ?? "", 27);
    expect(cpuMs() - start).toBeLessThan(5000);
  });
});

describe("Python integer lists", () => {
  it("are read as the vectors say", () => {
    const cases = lines<{ source: string; list: number[] | null }>("python_int_lists.jsonl");
    const read = (source: string) => parsePythonIntList(source, 26)?.map(Number) ?? null;
    expect(cases.map(({ source }) => ({ source, list: read(source) }))).toEqual(cases);
  });

  it("keeps integers beyond 2^53 apart, up to Python's 4,300 digits", () => {
    expect(parsePythonIntList("[9007199254740993,9007199254740992]", 2)).toEqual([
      9007199254740993n,
      9007199254740992n,
    ]);
    expect(parsePythonIntList(`[${"9".repeat(4300)}]`, 2)).toHaveLength(1);
    expect(parsePythonIntList(`[${"9".repeat(4301)}]`, 2)).toBeNull();
  });
});

describe("rounding", () => {
  it("takes halves to the even integer and everything else to the nearest", () => {
    expect([0.5, 1.5, 2.5, 4.5, 9.5, 2.4, 2.6, 0, 10].map(roundHalfEven)).toEqual([0, 2, 2, 4, 10, 2, 3, 0, 10]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), (tenths) => {
        expect(Math.abs(roundHalfEven(tenths / 10) - tenths / 10)).toBeLessThanOrEqual(0.5);
      }),
    );
  });
});
