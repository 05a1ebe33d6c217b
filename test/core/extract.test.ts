// Defines what counts as a rollout's candidate: think tags, fences, blank answers, languages, duplicates.

import { describe, expect, test } from "vitest";
import { extractCandidate, normaliseCandidate } from "../../src/core/candidate/extract.ts";
import type { CandidateRule } from "../../src/core/contract/candidate-rule.ts";
import { cpuMs } from "../harness/cpu-time.ts";
import fc from "../harness/property.ts";
import { lines } from "../harness/vector-lines.ts";

const BLOCK: CandidateRule = { extract: "last_code_block" };
const block = (text: string, language: string | null = null) => extractCandidate(text, BLOCK, language);
const by = (extract: CandidateRule["extract"], text: string) => extractCandidate(text, { extract }, null).candidate;

describe("last_code_block", () => {
  test("is the candidate that the vectors say, of the language where there is one", () => {
    const cases = lines<{ name: string; text: string; candidate: string | null; language: string | null }>(
      "last_code_blocks.jsonl",
    );
    const found = cases.map((one) => ({ ...one, ...block(one.text) }));
    expect(found).toEqual(cases);
  });

  test("the group's language wins over the fence's", () => {
    expect(block("```js\na\n```", "python")).toEqual({ candidate: "a", language: "python" });
    expect(block("nothing", "python")).toEqual({ candidate: null, language: "python" });
  });

  test("a fenced program comes out verbatim", () => {
    const line = fc
      .oneof(fc.string(), fc.constantFrom("```", "~~~", "    x = 1", "\t", "# <b>", "```py", "é解😀"))
      .map((s) => s.replace(/[\r\n]/g, ""));
    const program = fc
      .array(line, { minLength: 1, maxLength: 12 })
      .map((lines) => lines.join("\n"))
      .filter((text) => /[\p{L}\p{N}]/u.test(text) && !/<\/?think>/.test(text));
    fc.assert(
      fc.property(program, fc.constantFrom("`", "~"), fc.constantFrom("", "python", "c++ x=1"), (text, mark, info) => {
        const fence = mark.repeat(4 + Math.max(0, ...[...text.matchAll(/`+|~+/g)].map(([run]) => run.length)));
        const rollout = `<think>\`\`\`\nno\n\`\`\`</think>Here:\n${fence}${info}\n${text}\n${fence}\nDone.`;
        expect(block(rollout).candidate).toBe(text);
      }),
    );
  });
});

test("after_think takes the answer, whole takes the text, both drop answers without a letter or digit", () => {
  expect(by("after_think", "<think>a</think> b ")).toBe(" b ");
  expect(by("after_think", "b")).toBe("b");
  expect(by("after_think", "<think>a")).toBeNull();
  expect(by("after_think", "<think>a</think>b<think>c")).toBeNull();
  expect(by("whole", "<think>a")).toBe("<think>a");
  for (const text of ["", " \n\t", ".", ",", ":", "<\u200b>", "```\n```"]) {
    for (const extract of ["last_code_block", "after_think", "whole"] as const) expect(by(extract, text)).toBeNull();
  }
});

test("extraction never throws, whatever the text, the rule and the language", () => {
  const part = fc.constantFrom(
    "<think>",
    "</think>",
    "[THINK]",
    "</thinking>",
    "<|channel|>final",
    "# ```",
    "- ",
    "x```",
    "```",
    "~~~~",
    "```python",
    "\n",
    "\r\n",
    " ",
    "'",
    '"""',
    "f'{",
    "/*",
    "#",
    "a",
    "\ud800",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(part, { maxLength: 40 }).map((parts) => parts.join("")),
  );
  const rule = fc.record({
    extract: fc.constantFrom("last_code_block" as const, "after_think" as const, "whole" as const),
  });
  fc.assert(
    fc.property(text, rule, fc.constantFrom(null, "python", "js", "rust", "unknown"), (given, how, language) => {
      const { candidate } = extractCandidate(given, how, language);
      expect(candidate === null || /[\p{L}\p{N}]/u.test(candidate)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ...["python", "py", "Python", "python3", "python3.12", "{python}", "{.python .numberLines}", "python,run"],
  ...["python title=x", "language-python"],
])("the tag %j names Python", (tag) => {
  const fenced = `\`\`\`${tag}\nx = 1 # best\n\`\`\``;
  expect(extractCandidate(fenced, BLOCK, null)).toEqual({ candidate: "x = 1 # best", language: "python" });
});

describe("normaliseCandidate", () => {
  test("evens out line ends and trailing blanks, nothing else", () => {
    expect(normaliseCandidate("a \t\r\n  b\rc\n\n \n")).toBe("a\n  b\nc");
    expect(normaliseCandidate("\n\na  b")).toBe("\n\na  b");
    expect(normaliseCandidate("a\u00a0\u000b")).toBe("a\u00a0\u000b");
    expect(normaliseCandidate(" \n")).toBe("");
  });

  test("is idempotent", () => {
    const text = fc
      .array(fc.constantFrom("a", " ", "\t", "\n", "\r", "\r\n"), { maxLength: 30 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (given) => {
        const once = normaliseCandidate(given);
        expect(normaliseCandidate(once)).toBe(once);
      }),
    );
  });

  test("half a megabyte of blanks takes linear time", () => {
    const started = cpuMs();
    normaliseCandidate(`a${" ".repeat(2 ** 19)}b`);
    block(`${"`".repeat(2 ** 18)}\n${" ".repeat(2 ** 18)}\n`);
    block("```\n".repeat(2 ** 17));
    block("<think>".repeat(2 ** 16));
    expect(cpuMs() - started).toBeLessThan(2000);
  });
});
