// The guarantees of suggested names: a slip finds the name, and no other word finds any.
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { didYouMean, nearest } from "../../src/core/faults/suggestion.ts";

const NAMES = ["round_robin", "single_list", "circular", "swiss", "max_tokens", "cache_tokens", "when"];

describe("a name is found behind", () => {
  test.each([
    ["a letter too many", "roundd_robin", "round_robin"],
    ["a letter too few", "swis", "swiss"],
    ["another letter", "circuler", "circular"],
    ["two letters swapped", "wehn", "when"],
    ["upper case", "Max_Tokens", "max_tokens"],
    ["a missing plural", "max_token", "max_tokens"],
  ])("%s", (_slip, word, name) => {
    expect(nearest(word, NAMES)).toBe(name);
  });
});

test("nothing is suggested for a word that is like none, an empty one, and one that is too long", () => {
  const long = "a".repeat(LIMITS.suggestion_chars + 1);
  for (const word of ["colour", "", "x", long]) expect(nearest(word, [...NAMES, long]), word).toBeNull();
  expect(nearest("swis", [])).toBeNull();
  expect(didYouMean("colour", NAMES)).toBe("");
});

test("the nearest of several is suggested, and of equally near ones the first", () => {
  expect(nearest("max_tokes", ["max_tokens_a", "max_tokens"])).toBe("max_tokens");
  expect(nearest("cat", ["car", "bat"])).toBe("car");
});
