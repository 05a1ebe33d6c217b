// Holds our regular expressions to re2js, RE2's own port: the same are valid, and find the same, but
// for what means something else in Python. There Python's `re` is the peer, by recorded answers (3.13).
import { readFileSync } from "node:fs";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { parseRegex, RegexSyntaxError } from "../../src/core/text/regex/parse.ts";
import { RegexSearch } from "../../src/core/text/regex/search.ts";
import fc from "../harness/property.ts";

// biome-ignore format: a list of words.
const PARTS = [
  "a", "b", "A", "k", "s", "1", "_", " ", "\n", "\r", "\u0000", "é", "ſ", "K", "σ", "ς", "Σ", "😀", "ß", "\ud800",
  ".", "^", "|", "(", ")", "(?:", "(?i)", "(?i:", "(?m)", "(?s)", "(?-i)", "(?U)", "(?imsU-s:x)", "(?i-)", "(?)", "(?z)",
  "(?P<n>", "(?<m>", "(?P=n)", "(?P>n)", "(?=a)", "(?!a)", "(?<=a)", "[", "]", "[^", "-", "\\]", "\\-", "[a-c]", "[^a]",
  "[[:alpha:]]", "[[:^digit:]]", "\\A", "\\z",
  "\\Q", "\\E", "\\pL", "\\p{Greek}", "\\PN", "\\p{^Lu}", "\\P{Ll}", "\\p{Han}", "\\p{xx}", "\\x41", "\\x{3b1}",
  "\\x{1F600}", "\\x{110000}", "\\0", "\\101", "\\1", "\\12", "\\n", "\\t", "\\v", "\\.", "\\_", "\\C", "\\", "*", "+", "?", "*?",
  "+?", "??", "{2}", "{0}", "{1,3}", "{2,}", "{3,1}", "{1001}", "a**", "{", "}",
];
// biome-ignore format: a list of characters.
const CHARACTERS = [
  "a", "b", "c", "x", "A", "C", "E", "Q", "K", "k", "s", "S", "1", "2", "_", " ", "\n", "\r", "\u000b", "\u0000", ".", "-", "]", "[",
  "{", "}", "é", "É", "ſ", "K", "α", "σ", "ς", "Σ", "😀", "ß", "漢", "\ud800", "\udc00",
];

/** Constructs that random parts may make, with another meaning in Python. */
const PYTHONS = /\\[bBdDsSwWZuU]/;

const joined = (parts: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...parts), { maxLength }).map((chosen) => chosen.join(""));

function ours(regex: string): RegexSearch | null {
  try {
    return new RegexSearch(parseRegex(regex));
  } catch (error) {
    if (error instanceof RegexSyntaxError) return null;
    throw error;
  }
}

function theirs(regex: string): RE2JS | null {
  try {
    return RE2JS.compile(regex);
  } catch {
    return null;
  }
}

test("random expressions are valid where RE2's are, and match where they match", () => {
  let valid = 0;
  let matches = 0;
  const texts = fc.array(joined(CHARACTERS, 8), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(joined(PARTS, 7), texts, (regex, several) => {
      if (PYTHONS.test(regex)) return;
      const [own, other] = [ours(regex), theirs(regex)];
      expect(own === null, regex).toBe(other === null);
      if (own === null || other === null) return;
      valid++;
      for (const text of several) {
        const found = other.test(text);
        expect(own.test(text), JSON.stringify({ regex, text })).toBe(found);
        matches += Number(found);
      }
    }),
    { numRuns: 10_000 },
  );
  expect(valid).toBeGreaterThan(3_000);
  expect(matches).toBeGreaterThan(3_000);
});

interface Recorded {
  regex: string;
  found: string[];
  missed: string[];
}

test("expressions find what Python's re finds", () => {
  const recorded = readFileSync(new URL("../vectors/python_regexes.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Recorded);
  const wrong = recorded.flatMap(({ regex, found, missed }) => {
    const search = new RegexSearch(parseRegex(regex));
    const differ = [...found.filter((text) => !search.test(text)), ...missed.filter((text) => search.test(text))];
    return differ.length === 0 ? [] : [{ regex, differ }];
  });
  expect(wrong).toEqual([]);
});
