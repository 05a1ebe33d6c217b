// Defines what counts as a sample test in a problem statement, layout by layout, and what does not.

import { describe, expect, test } from "vitest";
import { parseLiteral } from "../../../gpu-backend/engines/cpu/literals.ts";
import { findSamples } from "../../../gpu-backend/engines/cpu/samples.ts";
import { cpuMs } from "../../harness/cpu-time.ts";

const DESCRIPTION =
  "## Input\nThe first line contains two integers a and b, each at most 100.\n\n## Output\nPrint the sum of the two integers on one line.\n\n";

/** Layouts that all show 1 2 -> 3 and then -1 1 -> 0. */
const LAYOUTS: Record<string, string> = {
  AtCoder:
    "### Sample Input 1\n```\n1 2\n```\n### Sample Output 1\n```\n3\n```\nBecause 1 + 2 = 3.\n\n### Sample Input 2\n```\n-1 1\n```\n### Sample Output 2\n```\n0\n```\n",
  Codeforces: "Examples\nInput\n1 2\nOutput\n3\nInput\n-1 1\nOutput\n0\nNote\nIn the first sample the answer is 3.",
  "Codeforces, copied": "Example\ninputCopy\n1 2\noutputCopy\n3\ninputCopy\n-1 1\noutputCopy\n0",
  "bold labels, fences":
    "## Examples\n\n**Input:**\n```\n1 2\n```\n**Output:**\n```\n3\n```\n**Explanation:** easy\n\n**Input:**\n```\n-1 1\n```\n**Output:**\n```\n0\n```",
  "inline values": "Example 1\nInput: 1 2\nOutput: 3\n\nExample 2\nInput: 1 1\nOutput: 2\n".replace(
    "1 1\nOutput: 2",
    "-1 1\nOutput: 0",
  ),
  "one line": "Input: 1 2, Output: 3\nInput: -1 1, Output: 0",
  "numbered headings": "### Input 1\n1 2\n### Output 1\n3\n### Input 2\n-1 1\n### Output 2\n0",
  "Example Input":
    "#### Example Input 1\n    1 2\n\n#### Example Output 1\n    3\n\n#### Example Input 2\n    -1 1\n\n#### Example Output 2\n    0\n",
  "one fence an example": "Example 1:\n```\nInput:\n1 2\nOutput:\n3\n```\nExample 2:\n```\nInput: -1 1\nOutput: 0\n```",
  "pre tags": "<b>Example</b>\n<pre>\nInput:\n1 2\nOutput:\n3\n</pre>\n<pre>\nInput:\n-1 1\nOutput:\n0\n</pre>",
  table: "| Input | Output |\n|---|---|\n| `1 2` | `3` |\n| `-1 1` | `0` |\n",
  "glued to the sentence before":
    "Add them up.Sample Input 1:\n1 2\nSample Output 1:\n3\nSample Input 2:\n-1 1\nSample Output 2:\n0\n",
  "all on one line":
    "Add them up. Sample Input 1: 1 2 Sample Output 1: 3 Explanation: 1 + 2. Sample Input 2: -1 1 Sample Output 2: 0",
  "glued on one line": "Add them up.Sample Input 1:1 2Sample Output 1:3Sample Input 2:-1 1Sample Output 2:0",
  "CRLF line ends":
    "Sample Input 1\r\n1 2\r\nSample Output 1\r\n3\r\nSample Input 2\r\n-1 1\r\nSample Output 2\r\n0\r\n",
};

const stdio = (input: string, output: string) => ({ kind: "stdio", input, output });
const call = (name: string, args: string[], expected: string, strict = false) => ({
  kind: "call",
  function: name,
  args: args.map((a) => parseLiteral(a)),
  expected: parseLiteral(expected),
  strict,
});

describe("input and output pairs", () => {
  test.each(Object.entries(LAYOUTS))("%s: both pairs are found and the description is not", (_, layout) => {
    expect(findSamples(DESCRIPTION + layout)).toEqual([stdio("1 2\n", "3\n"), stdio("-1 1\n", "0\n")]);
  });

  test("values of several lines, with blank lines inside the input, stay whole", () => {
    const text = "Sample Input:\n2\n1 2\n\n3 4\n\nSample Output:\n3\n7\n\nExplanation: two sums.";
    expect(findSamples(text)).toEqual([stdio("2\n1 2\n\n3 4\n", "3\n7\n")]);
  });

  test("a description alone gives no sample", () => {
    expect(findSamples(DESCRIPTION)).toEqual([]);
    expect(
      findSamples("Input\nOne line with the number n of the tests.\nOutput\nFor each test the answer on its own line."),
    ).toEqual([]);
    expect(findSamples("")).toEqual([]);
  });

  test("a sample is taken once, and at most 24 are taken", () => {
    const many = Array.from(
      { length: 40 },
      (_, i) => `Sample Input ${i}\n${i >> 1}\nSample Output ${i}\n${i >> 1}\n`,
    ).join("\n");
    const found = findSamples(many);
    expect(found).toHaveLength(20);
    const more = Array.from({ length: 40 }, (_, i) => `Sample Input ${i}\n${i}\nSample Output ${i}\n${i}\n`).join("\n");
    expect(findSamples(more)).toHaveLength(24);
  });

  test("a statement of 256 KiB is read in bounded time", () => {
    for (const piece of [
      "Input: ",
      ".Sample Input 1:",
      "Sample Input 1: Sample Output 1: ",
      ".Sample ",
      "**",
      "`",
      "Sample Input 1\n",
      "assert f(",
      "| Input | Output |\n",
      "((((",
      "f() -> ",
      "|input|output|\n|-|-|\n",
      "def f(\t",
      "a = 1\n\n\n\n",
    ]) {
      const started = cpuMs();
      findSamples(piece.repeat(262_144 / piece.length));
      expect(cpuMs() - started).toBeLessThan(3_000);
    }
  });
});

describe("function examples", () => {
  const SIGNATURE = "```python\ndef two_sum(nums: List[int], target: int) -> List[int]:\n```\n";
  const LEETCODE =
    "Example 1:\n\nInput: nums = [2,7,11,15], target = 9\nOutput: [0,1]\nExplanation: nums[0] + nums[1] == 9.\n";

  test("named arguments become a call when the signature is known, and nothing at all when it is not", () => {
    expect(findSamples(SIGNATURE + LEETCODE)).toEqual([call("two_sum", ["[2,7,11,15]", "9"], "[0,1]")]);
    expect(findSamples(LEETCODE)).toEqual([]);
  });

  test("named arguments follow the signature's order", () => {
    const [found] = findSamples(`${SIGNATURE}Input: target = 9, nums = [2,7]\nOutput: [0,1]`);
    expect(found).toEqual(call("two_sum", ["[2,7]", "9"], "[0,1]"));
  });

  test("simple asserts become strict calls, others stay Python", () => {
    const text =
      "assert add(1, 2) == 3\nassert add([1], (2,)) == {'a': 1}, 'message'\nassert abs(half(3) - 1.5) < 1e-9";
    expect(findSamples(text)).toEqual([
      call("add", ["1", "2"], "3", true),
      call("add", ["[1]", "(2,)"], "{'a': 1}", true),
      { kind: "python-assert", code: "assert abs(half(3) - 1.5) < 1e-9" },
    ]);
  });

  test("an assert may be about a function of any name", () => {
    const text = "assert f(3) == 6\nassert max(1, 2) == 2\nassert sorted(f(3)) == [6]\n";
    expect(findSamples(text)).toEqual([
      call("f", ["3"], "6", true),
      call("max", ["1", "2"], "2", true),
      { kind: "python-assert", code: "assert sorted(f(3)) == [6]" },
    ]);
    expect(findSamples(`def f(x):\n${text}`).at(-1)).toMatchObject({ kind: "python-assert", function: "f" });
    expect(findSamples("def max(a, b)\n\nmax(1, 2) -> 2\nmin(1, 2) -> 1")).toEqual([call("max", ["1", "2"], "2")]);
  });

  test("prose that names a sample is no sample", () => {
    expect(findSamples("Look at Sample Input 1: it shows a case.\nThe Sample Output 1 is right.")).toEqual([]);
  });

  test("simple interpreter sessions become strict calls, sessions with state stay doctests", () => {
    expect(findSamples(">>> add(1, 2)\n3\n>>> add('a', 'b')\n'ab'\n")).toEqual([
      call("add", ["1", "2"], "3", true),
      call("add", ["'a'", "'b'"], "'ab'", true),
    ]);
    const session = "    >>> s = Stack()\n    >>> for i in range(2):\n    ...     s.push(i)\n    >>> s.pop()\n    1\n";
    expect(findSamples(session)).toEqual([
      {
        kind: "doctest",
        examples: [
          { code: "s = Stack()", expected: "" },
          { code: "for i in range(2):\n    s.push(i)", expected: "" },
          { code: "s.pop()", expected: "1" },
        ],
      },
    ]);
  });

  test.each([
    "- `twice(3)` → `6`",
    "twice(3) -> 6",
    "twice(3) => 6",
    "twice(3) returns 6.",
    "console.log(twice(3)); // -> 6",
    "console.log(twice(3)) // 6",
    "print(twice(3))  # 6",
    "1. twice(3) == 6",
  ])("%s is a call", (line) => {
    expect(findSamples(`Write a function \`twice(x)\`.\n\n${line}\n`)).toEqual([call("twice", ["3"], "6")]);
  });

  test("prose that mentions calls is no example", () => {
    expect(
      findSamples("Calling f(x) returns quickly. O(n) -> fine. min(3) -> 3. The cost is cost(1) => something else."),
    ).toEqual([]);
  });
});
