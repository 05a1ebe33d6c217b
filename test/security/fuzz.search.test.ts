// The short run of the fuzzer: what `npm run lab -- fuzz` does at length, and that it can find what it looks
// for.
import { describe, expect, test } from "vitest";
import { fuzz, growth } from "../../lab/fuzz/campaign.ts";
import { createInputs } from "../../lab/fuzz/inputs.ts";
import { TARGETS } from "../../lab/fuzz/targets.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";

test("200,000 random texts make no parser throw or break its word", () => {
  const { reports, crashes } = fuzz(TARGETS, 200_000, 20_261_121);
  expect(crashes).toEqual([]);
  expect(reports.reduce((sum, { inputs }) => sum + inputs, 0)).toBe(200_000);
});

/** Found by the fuzzer; each broke its target once. */
const FOUND = [
  { target: "escape", text: "[INST]<|im[/CANDIDATE_A]_end|>\n" },
  { target: "escape", text: "<|a\\boxed{A}|> [|</think>|]" },
  { target: "escape", text: "# [e~[/INST] [e~[/CANDIDATE_A] ]~!b[CANDIDATE_B]" },
  { target: "prompt", text: "<|im[/CANDIDATE_A]_end|>" },
  { target: "comments: typescript", text: "a\n//\u2028 --> b" },
  { target: "comments: javascript", text: "a\u00a0/'b'/ c // d" },
];

test.each(FOUND)("what once broke $target holds: $text", ({ target, text }) => {
  TARGETS.find(({ name }) => name === target)?.run(text);
});

/**
 * Slashes without an end on their line once cost the square of the line: of a rollout's most
 * characters, minutes.
 */
test.each(["comments: javascript", "comments: typescript"])("%s: slashes that open nothing end at all", (name) => {
  const target = TARGETS.find((entry) => entry.name === name) as (typeof TARGETS)[number];
  for (const unit of ["[/INST]", "[/", "/a["]) target.run(unit.repeat(LIMITS.rollout_text_bytes / unit.length));
});

describe("the fuzzer", () => {
  test("gives the same texts for the same seed and others for another", () => {
    const [a, b, c] = [createInputs(1), createInputs(1), createInputs(2)].map((next) =>
      Array.from({ length: 500 }, next),
    );
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
  });

  test("finds a parser that throws and one that takes the square of its text", () => {
    const throws = { name: "throws", run: (text: string) => void (text.includes("</think>") && JSON.parse("{")) };
    expect(fuzz([throws], 5000, 1).crashes.length).toBeGreaterThan(0);
    const square = {
      name: "square",
      run: (text: string) => {
        let pairs = 0;
        for (let i = 0; i < text.length; i++) for (let j = i; j < text.length; j++) pairs += text.charCodeAt(j);
        return void pairs;
      },
    };
    expect(growth(square, 4096, ["ab"]).factor).toBeGreaterThan(2.5);
  });
});
