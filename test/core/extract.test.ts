// Defines what counts as a rollout's candidate: think tags, fences, blank answers, languages, duplicates.

import { describe, expect, test } from "vitest";
import { extractCandidate, normaliseCandidate } from "../../src/core/candidate/extract.ts";
import type { CandidateRule } from "../../src/core/contract/candidate-rule.ts";
import { cpuMs } from "../harness/cpu-time.ts";
import fc from "../harness/property.ts";

const BLOCK: CandidateRule = { extract: "last_code_block" };
const block = (text: string, language: string | null = null) => extractCandidate(text, BLOCK, language);
const by = (extract: CandidateRule["extract"], text: string) => extractCandidate(text, { extract }, null).candidate;

describe("last_code_block", () => {
  test.each([
    ["a plain block", "```\nx = 1\n```", "x = 1", null],
    ["the last of several", "```py\na\n```\ntext\n```js\nb\n```\nend", "b", "javascript"],
    ["only the answer's blocks", "<think>```\na\n```</think>\n```\nb\n```", "b", null],
    ["none in the thoughts alone", "<think>```\na\n```</think> done", null, null],
    ["what follows the last closing tag", "<think>a</think>\n```\nb\n```</think>\n```\nc\n```", "c", null],
    ["thoughts whose start the prompt holds", "hm </think>```\na\n```\n```\nb\n```", "b", null],
    ["none while thinking is open", "<think>\n```\na\n```", null, null],
    ["none when thinking is opened again", "<think>a</think>\n```\nb\n```\n<think>", null, null],
    ["none when the last fence is left open", "```\na\n```\n```python\nb = 1", null, null],
    ["tildes", "~~~ Python extra words\na\n~~~", "a", "python"],
    ["a longer closing fence", "```\na\n`````  ", "a", null],
    ["a shorter fence is content", "````md\n```\na\n```\n````", "```\na\n```", null],
    ["the other mark is content", "```\n~~~\na\n```", "~~~\na", null],
    ["a closing fence has no info", "```\na\n```b\n```", "a\n```b", null],
    ["a backtick in the info is no fence", "```a`b\nx\n~~~\ny\n~~~", "y", null],
    ["up to three blanks, taken off the content", "  ```c++\n  a\n   b\nc\n   ```", "a\n b\nc", "cpp"],
    ["four blanks are no fence", "    ```\na\n    ```", null, null],
    ["two marks are no fence", "``\na\n``", null, null],
    ["a fence that words follow on its line is none", "Run: ``` like so\na\n```", null, null],
    ["CR LF lines", "```js\r\na\r\nb\r\n```\r\n", "a\r\nb", "javascript"],
    ["an info word that could not be a language is none", "```%!\na\n```", "a", null],
    ["an empty block is blank", "```\n```", null, null],
    ["blank and punctuation-only blocks are blank", "```\n \n:.,\n```", null, null],
    ["a letter of any script is content", "```\n猫\n```", "猫", null],
    ["the empty text", "", null, null],
  ])("%s", (_, text, candidate, language) => {
    if (language === null || candidate !== null) expect(block(text)).toEqual({ candidate, language });
    else expect(block(text).candidate).toBeNull();
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
