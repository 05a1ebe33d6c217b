// Holds what our regular expressions accept, find and cost. Held to re2js, RE2's own port, and to
// Python's recorded answers by regex-peers.slow.test.ts.
import safeRegex from "safe-regex2";
import { describe, expect, test } from "vitest";
import { parseRegex, RegexSyntaxError } from "../../src/core/text/regex/parse.ts";
import { RegexSearch } from "../../src/core/text/regex/search.ts";
import { regexShape } from "../../src/core/text/regex/shape.ts";
import fc from "../harness/property.ts";
import { lines } from "../harness/vector-lines.ts";

const finds = (regex: string, text: string) => new RegexSearch(parseRegex(regex)).test(text);

describe("a search", () => {
  test("finds what the vectors say", () => {
    const cases = lines<{ regex: string; text: string; found: boolean }>("regex_finds.jsonl");
    expect(cases.map((one) => ({ ...one, found: finds(one.regex, one.text) }))).toEqual(cases);
  });

  test("finds the same when its states are made anew in the middle of a text", () => {
    // 2^13 states, of which 4,000 are kept.
    const search = new RegexSearch(parseRegex("a[ab]{12}c"));
    const bits = Array.from({ length: 20_000 }, (_, i) => (((i * i * 7919) >> 3) % 2 === 0 ? "a" : "b")).join("");
    expect(search.test(bits)).toBe(false);
    expect(search.test(`${bits}a${"b".repeat(12)}c`)).toBe(true);
    expect(search.test(`${bits}b${"b".repeat(12)}c`)).toBe(false);
  });
});

test.each([
  ["(a", "missing closing ): `(a`"],
  ["a)", "unexpected ): `)`"],
  ["[a", "missing closing ]: `[a`"],
  ["[b-a]", "invalid character class range: `b-a`"],
  ["\\p{Greck}", "invalid character class range: `\\p{Greck}`"],
  ["\\1", "invalid escape sequence: `\\1`"],
  ["\\Y", "invalid escape sequence: `\\Y`"],
  ["\\x{110000}", "invalid escape sequence: `\\x{110000}`"],
  ["\\", "trailing backslash at end of expression: `\\`"],
  ["*a", "missing argument to repetition operator: `*`"],
  ["a{2}*", "invalid nested repetition operator: `*`"],
  ["a{1001}", "invalid repeat count: `{1001}`"],
  ["(?<n>a)(?P<n>b)", "duplicate capture group name: `n`"],
  ["(?<a-b>)", "invalid named capture: `(?<a-b>`"],
  ["a(?=b)", "invalid or unsupported Perl syntax: `(?=`"],
  ["(?<!a)b", "invalid or unsupported Perl syntax: `(?<`"],
])("%s is refused by the part that is wrong", (regex, message) => {
  expect(() => parseRegex(regex)).toThrow(new RegexSyntaxError(...(message.split(/: `|`$/) as [string, string])));
});

describe("regexShape", () => {
  test.each([
    ["abc", 0, 1],
    ["a+b*c{2,}", 1, 2],
    ["(a+)+", 2, 1],
    ["((a*)?b)+", 2, 1],
    ["(a+){5}", 1, 5],
    ["(a{2}b){3}", 0, 6],
    ["a{2}|b{7}", 0, 7],
    ["[(*+]+[^]*a]+", 1, 1],
    ["[[:alpha:]+]*", 1, 1],
    ["\\(a+\\)+", 1, 1],
    ["\\Q(a+)+\\E", 0, 1],
    ["\\x{10}+\\p{Han}*", 1, 1],
    ["(?P<n>a+)(?i:b*)", 1, 1],
    ["a{x}b{,3}", 0, 3],
    ["(a*?)??", 1, 1],
  ])("%s nests %i unbounded repetitions and multiplies counts to %i", (regex, starHeight, repeat) => {
    expect(regexShape(parseRegex(regex))).toMatchObject({ starHeight, repeat });
  });

  test("refuses at least the stars that safe-regex2 calls unsafe", () => {
    const parts = ["a", "b", "(", ")", "(?:", "|", "*", "+", "{2,}", "[ab]", "\\d", "."];
    const texts = fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((chosen) => chosen.join(""));
    let compared = 0;
    fc.assert(
      fc.property(texts, (regex) => {
        if (!compiles(regex)) return;
        compared++;
        if (regexShape(parseRegex(regex)).starHeight <= 1) expect(safeRegex(regex, { limit: 1000 }), regex).toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});

function compiles(regex: string): boolean {
  try {
    new RegExp(regex, "u");
    return true;
  } catch {
    return false;
  }
}
