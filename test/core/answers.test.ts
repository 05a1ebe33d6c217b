// Final answers against references by rules: the golden vectors, and that rules never say equal
// where math-verify says different.

import { describe, expect, test } from "vitest";
import { compareAnswers, type EquivalenceRules } from "../../src/core/candidate/answers/compare-answers.ts";
import { finalAnswer, statedAnswer } from "../../src/core/candidate/answers/final-answer.ts";
import { reference } from "../../src/core/signals/reference.ts";
import fc from "../harness/property.ts";
import vectors from "../vectors/reference_answers.json" with { type: "json" };
import { preparedOf } from "./signals/prepared.ts";

const AUTO: EquivalenceRules = { type: "auto", tolerance: 0n };
const rows = vectors.cases.map((one) => [`${one.name}: ${one.input.gold} | ${one.input.pred}`, one] as const);

describe("golden vectors", () => {
  test.each(rows)("%s", (_, { input, expected }) => {
    expect(compareAnswers(input.gold, input.pred, AUTO)).toBe(expected.simple);
  });
});

/**
 * Of the answers of a type that math-verify finds equal, how many the rules do; docs/signals.md
 * tells these.
 */
const RECALL: Readonly<Record<string, readonly [found: number, equal: number]>> = {
  integer: [6, 7],
  decimal: [3, 3],
  thousands: [4, 4],
  fraction: [9, 15],
  percent: [2, 8],
  scientific: [2, 3],
  mixed: [1, 1],
  units: [1, 10],
  latex_format: [10, 15],
  radical: [0, 5],
  constants: [1, 5],
  interval: [2, 4],
  set: [3, 9],
  tuple: [4, 6],
  equation: [0, 6],
  expression: [0, 11],
  choice: [5, 6],
  yes_no: [1, 1],
  text: [4, 5],
  matrix: [0, 3],
  money_time: [0, 4],
  odd: [1, 1],
};

test("what the rules find equal, by type of answer, is what the documentation says", () => {
  const recall: Record<string, [number, number]> = {};
  for (const { input, expected } of vectors.cases) {
    const [found, equal] = recall[input.category] ?? [0, 0];
    const said = compareAnswers(input.gold, input.pred, AUTO);
    // What they do not find equal they leave open: no answer that is right is called wrong here.
    if (expected.boxed) expect(said, input.pred).not.toBe("different");
    recall[input.category] = expected.boxed ? [found + Number(said === "equal"), equal + 1] : [found, equal];
  }
  expect(recall).toEqual(RECALL);
});

describe("numbers", () => {
  const of = (tolerance: bigint): EquivalenceRules => ({ type: "number", tolerance });
  test("are within a tolerance or not, in either order", () => {
    expect(compareAnswers("3.14159", "3.1416", of(0n))).toBe("unknown");
    expect(compareAnswers("3.14159", "3.1416", of(10n))).toBe("equal");
    expect(compareAnswers("3.1416", "3.14159", of(10n))).toBe("equal");
    expect(compareAnswers("100", "101", of(10n))).toBe("different");
  });

  test("written in any way are equal exactly when their values are", () => {
    const written = fc
      .record({ value: fc.integer({ min: -1_000_000, max: 1_000_000 }), form: fc.nat(4) })
      .map(({ value, form }) => {
        const digits = `${Math.abs(value)}`;
        const sign = value < 0 ? "-" : "";
        const grouped = digits.replace(/\B(?=(\d{3})+$)/g, ",");
        const forms = [digits, `${digits}.0`, grouped, `${digits}/1`, `\\frac{${digits}}{1}`];
        return { value, text: `${sign}${forms[form]}` };
      });
    fc.assert(
      fc.property(written, written, (a, b) => {
        expect(compareAnswers(a.text, b.text, AUTO)).toBe(a.value === b.value ? "equal" : "different");
        expect(compareAnswers(a.text, a.text, AUTO)).toBe("equal");
      }),
    );
  });

  test("with the same unit are equal, with another they are for a judge", () => {
    expect(compareAnswers("5.0 cm", "5 cm", AUTO)).toBe("equal");
    expect(compareAnswers("5 cm", "6 cm", AUTO)).toBe("unknown");
    expect(compareAnswers("5 m", "500 cm", AUTO)).toBe("unknown");
  });
});

test("a known type reads what its rules know, and nothing else", () => {
  expect(compareAnswers("1, 2", "2, 1", { type: "set", tolerance: 0n })).toBe("equal");
  expect(compareAnswers("1, 2", "\\{2, 3\\}", { type: "set", tolerance: 0n })).toBe("different");
  expect(compareAnswers("A", "(a)", { type: "choice", tolerance: 0n })).toBe("equal");
  expect(compareAnswers("A", "b", { type: "choice", tolerance: 0n })).toBe("different");
  expect(compareAnswers("12", "12.0", { type: "text", tolerance: 0n })).toBe("unknown");
});

test("short words keep their case: Co is not CO, x is not X", () => {
  expect(compareAnswers("CO", "Co", AUTO)).toBe("unknown");
  expect(compareAnswers("x", "X", AUTO)).toBe("unknown");
  expect(compareAnswers("PARIS", "paris", AUTO)).toBe("equal");
});

test("any two texts are compared in bounded time, and alike in either order", () => {
  const part = fc.constantFrom(
    "1",
    "0",
    ",",
    ".",
    " ",
    "{",
    "}",
    "\\frac",
    "\\boxed",
    "$",
    "(",
    ")",
    "[",
    "%",
    "e",
    "^",
    "x",
    "-",
    "A",
  );
  const text = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(compareAnswers(a, b, AUTO)).toBe(compareAnswers(b, a, AUTO));
    }),
  );
  expect(compareAnswers("1".repeat(1024), `${"1".repeat(1023)}2`, AUTO)).toBe("different");
  expect(compareAnswers("(".repeat(100_000), "(", AUTO)).toBe("unknown");
});

test("an answer behind #### on the last line is final where nothing is boxed, as GSM8K writes it", () => {
  const of = (text: string) => finalAnswer(text, null, "boxed");
  expect(of("3 * 4 = <<3*4=12>>12\n#### 12\n")).toBe("12");
  expect(of("#### 1,000")).toBe("1,000");
  expect(of("<think>\n#### 7</think>So\n####12")).toBe("12");
  expect(of("\\boxed{5}\n#### 12")).toBe("5");
  for (const text of ["#### 12\nmore", "so #### 12", "##### 12", "### 12", "####", "#### 12 <think>\n#### 3"])
    expect(of(text)).toBe(null);
});

test("a dataset's whole solution is read for the answer that it ends with", () => {
  expect(statedAnswer("3 * 4 = 12\n#### 12")).toBe("12");
  expect(statedAnswer("We have $x = 3$, so $x^2 = \\boxed{9}$.")).toBe("9");
  for (const text of ["12", "\\frac{1}{2}", "\\boxed{1", "# 12"]) expect(statedAnswer(text)).toBe(text);
  const settings = { answer: "boxed", answer_type: "auto", tolerance: 0 } as const;
  const rewards = (right: string, ...texts: string[]) =>
    reference
      .open(preparedOf(texts, { reference: right }), settings, {} as never)
      .result([])
      .scores.map(({ value }) => value);
  expect(rewards("3 * 4 = 12\n#### 12", "\\boxed{12}", "#### 12", "\\boxed{13}", "12")).toEqual([1, 1, 0, 0]);
  expect(rewards("So $x$ is \\boxed{\\frac{1}{2}}.", "\\boxed{0.5}", "#### 1/2", "\\boxed{2}")).toEqual([1, 1, 0]);
});
