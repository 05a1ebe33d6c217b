// Holds the forms in which datasets hold tests of programs to the cases that are read from them, or to
// the field that is refused; and the sample that is taken of many cases.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TestCasesSchema } from "../../../src/core/signals/test-cases.ts";
import { casesFault } from "../../../src/core/signals/tests-run.ts";

interface Vector {
  value: unknown;
  cases?: object[];
  error?: string;
}

const VECTORS = readFileSync(new URL("../../vectors/code_rows.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Vector);

test("rows are read as cases, or refused by field", () => {
  const wrong = VECTORS.flatMap(({ value, cases, error }) => {
    const { data, error: refused } = TestCasesSchema.safeParse(value);
    const got = { cases: data, error: refused?.issues[0]?.path.join(".") };
    const wanted = { cases: cases?.map((held) => ({ weight: 1, ...held })), error };
    const isSame = error === undefined ? expectEqual(got.cases, wanted.cases) : got.error === error;
    return isSame ? [] : [{ value, got, wanted }];
  });
  expect(wrong).toEqual([]);
});

function expectEqual(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
}

test("more cases than can be run are refused with their number, unless a sample is asked for", () => {
  const test_cases = TestCasesSchema.parse(Array.from({ length: 200 }, (_, i) => ({ stdin: `${i}`, stdout: "" })));
  const group = { test_cases, language: "python" };
  const settings = { score: "rate", source: "sandbox" } as const;
  expect(casesFault(group, settings)).toMatchObject({
    path: "test_cases",
    message: expect.stringMatching(/^has 200 test cases; the limit test_cases_max is 64.*cases_max/),
  });
  expect(casesFault(group, { ...settings, cases_max: 10 })).toBe(null);
  expect(casesFault({ ...group, test_cases: test_cases.slice(0, 64) }, settings)).toBe(null);
});
