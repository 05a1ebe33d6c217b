// Defines what the format rules accept, and which regular expressions are refused with which limit.

import { describe, expect, test } from "vitest";
import { compileFormatRules, hasClosedThink } from "../../src/core/candidate/format.ts";
import type { FormatRule } from "../../src/core/contract/spec.ts";
import { ApiError } from "../../src/core/faults/errors.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { cpuMs } from "../harness/cpu-time.ts";
import { lines } from "../harness/vector-lines.ts";

function refusal(...rules: FormatRule[]): ApiError {
  try {
    compileFormatRules(rules);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("the rules were accepted");
}

test("no rule holds always; several hold together", () => {
  const blank = { text: "", candidate: null };
  expect(compileFormatRules([])(blank)).toBe(true);
  expect(compileFormatRules(["has_candidate"])(blank)).toBe(false);
  expect(compileFormatRules(["has_candidate"])({ text: "", candidate: "x" })).toBe(true);
  const all = compileFormatRules(["has_candidate", "closed_think", { regex: "Answer:" }]);
  expect(all({ text: "<think>a</think>Answer: x", candidate: "x" })).toBe(true);
  expect(all({ text: "<think>a</think>answer: x", candidate: "x" })).toBe(false);
  expect(all({ text: "<think>a Answer: x", candidate: "x" })).toBe(false);
  expect(all({ text: "<think>a</think>Answer: x", candidate: null })).toBe(false);
});

test("closed_think holds as the vectors say", () => {
  const cases = lines<{ text: string; holds: boolean }>("closed_think.jsonl");
  expect(cases.map(({ text }) => ({ text, holds: hasClosedThink(text) }))).toEqual(cases);
});

describe("regular expressions", () => {
  test("are searched anywhere in the rollout's text", () => {
    const matches = (regex: string, text: string) => compileFormatRules([{ regex }])({ text, candidate: null });
    expect(matches("^<think>[\\s\\S]*</think>\\s*```python\\n", "<think>a\nb</think>\n```python\nx")).toBe(true);
    expect(matches("^b", "a\nb")).toBe(false);
    expect(matches("(?m)^b", "a\nb")).toBe(true);
    expect(matches("\\p{Greek}+", "aλ")).toBe(true);
    expect(matches("b.c", "ab\nc")).toBe(false);
  });

  test.each([
    ["a(?=b)", /RE2 syntax/],
    ["(?<!a)b", /RE2 syntax/],
    ["(a)\\1", /RE2 syntax/],
    ["(a", /RE2 syntax/],
    ["a++", /RE2 syntax/],
    ["(a+)+$", /regex_star_height = 1/],
    ["(?:a*b?)*", /regex_star_height = 1/],
    ["((a{2,}))*", /regex_star_height = 1/],
    ["a{101}", /regex_repeat_max = 100/],
    ["(?:a{20}b){10}", /regex_repeat_max = 100/],
    ["(?:[ab]{60}c){1}.{0,60}", /regex_instructions_max = 128/],
  ])("%s is refused with the path and the limit", (regex, message) => {
    const error = refusal("has_candidate", { regex });
    expect(error.code).toBe("unsafe_regex");
    expect(error.errors).toHaveLength(1);
    expect(error.errors[0]?.path).toBe("spec.format.rules[1].regex");
    expect(error.errors[0]?.message).toMatch(message);
    expect(error.message).toMatch(message);
  });

  test("each refused expression is named, and all share one budget of instructions", () => {
    expect(refusal({ regex: "(" }, { regex: "ok" }, { regex: "(a*)*" }).errors.map(({ path }) => path)).toEqual([
      "spec.format.rules[0].regex",
      "spec.format.rules[2].regex",
    ]);
    const half = { regex: "[a-f]{80}" };
    expect(compileFormatRules([half])({ text: "a".repeat(80), candidate: null })).toBe(true);
    expect(refusal(half, half).errors.map(({ path }) => path)).toEqual(["spec.format.rules[1].regex"]);
  });

  test("the costliest accepted expressions stay linear on the longest text", () => {
    const text = "abcdefgh".repeat(LIMITS.rollout_text_bytes / 8);
    for (const regex of ["[a-d].{100}[x-z]", "(a|b|ab)*c$", "(?:a?){60}[x-z]", "[\\s\\S]*[a-c][\\s\\S]{40}[x-z]"]) {
      const test = compileFormatRules([{ regex }]);
      const started = cpuMs();
      test({ text, candidate: null });
      expect(cpuMs() - started, regex).toBeLessThan(6000);
    }
  });
});
