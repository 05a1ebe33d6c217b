// Defines what is held of function problems: asserts, methods, sessions and examples that a statement shows,
// judged by running the candidates on them.
import { describe, expect, test } from "vitest";
import { findSamples } from "../../../gpu-backend/engines/cpu/samples.ts";
import { runTests } from "../../../gpu-backend/engines/cpu/test-cases.ts";
import { ask, sandbox, withJudge } from "./judge-setup.ts";

withJudge();

describe("function problems", () => {
  const question = "Write a function `add(a, b)`.\n\nassert add(1, 2) == 3\nassert add(-1, 1) == 0\n";

  test("Python candidates are judged on asserts", async () => {
    expect(
      await ask(["def add(a, b):\n    return abs(a) + b", "def add(a, b):\n    return a + b"], { question }),
    ).toMatch(/\\boxed\{B\}$/);
  });

  test("JavaScript candidates are judged on the same asserts", async () => {
    const answer = await ask(["const add = (a, b) => a + b;", "function add(a, b) { return 3; }"], {
      question,
      language: "javascript",
    });
    expect(answer).toMatch(/\\boxed\{A\}$/);
    expect(answer).toContain("B (javascript): passed 1 of 2");
  });

  test.each([
    ["leaving early", "import os\nos._exit(0)"],
    ["exiting early", "import sys\nsys.exit(0)"],
    ["an object that equals everything", "class E:\n    def __eq__(self, o): return True\ndef add(a, b): return E()"],
    [
      "printing a result",
      'print(\'{"value": {"number": "3"}}\')\ndef add(a, b):\n    print(\'{"value": {"number": "3"}}\')\n    raise SystemExit(0)',
    ],
    [
      "a subclass of int with a false text",
      "class I(int):\n    def __repr__(self): return '3'\n    __str__ = __repr__\ndef add(a, b): return I(7)",
    ],
  ])("%s passes no assert", async (_, source) => {
    const results = await runTests(sandbox, { language: "python", source }, findSamples(question));
    expect(results.map((r) => r.passed)).toEqual([false, false]);
  });

  test("a method gets what LeetCode imports for it, a plain function does not", async () => {
    const tests = findSamples("def order(self, nums):\n\nInput: nums = [2,1]\nOutput: [1,2]\n");
    const body =
      "heapify(nums)\nqueue = deque(Counter(nums))\nassert gcd(4, 6) == 2 and inf > 1 and math.pi > 3 and reduce(min, nums) == 1\n@cache\ndef first(x) -> Optional[int]: return next(accumulate(x))\nbest: List[int] = [nums[bisect_left(nums, 1)], first((2, 3))]\nreturn best";
    const method = `class Solution:\n    def order(self, nums: List[int]) -> List[int]:\n${body.replace(/^/gm, "        ")}`;
    const plain = `def order(nums):\n${body.replace(/^/gm, "    ")}`;
    const passed = async (source: string) =>
      (await runTests(sandbox, { language: "python", source }, tests)).map((r) => r.passed);
    expect(await passed(method)).toEqual([true]);
    expect(await passed(`${method.replace("gcd(4, 6)", "self.gcd(4, 6)")}\n    def gcd(self, a, b): return 2`)).toEqual(
      [true],
    );
    expect(await passed(plain)).toEqual([false]);
  });

  test("a right program may use any name for itself", async () => {
    const python = `list = dict = set = str = [1]\nint = type = len = 0\njson = sys = isinstance = None\ndef add(a, b): return a + b`;
    const javascript =
      "const Set = 1, Map = 2, process = 3, JSON = 4;\nArray.prototype.map = Promise.resolve = null;\nconst add = async (a, b) => a + b;";
    for (const [language, source] of [
      ["python", python],
      ["javascript", javascript],
    ] as const) {
      const results = await runTests(sandbox, { language, source }, findSamples(question));
      expect(results.map((r) => r.passed)).toEqual([true, true]);
    }
  });

  test("asserts see plain values, what is made of them, changed arguments, functions and objects of the task", async () => {
    const text = `
assert sorted(unique([3, 1, 1])) == [1, 3] and len(unique([1, 1])) == 1 and 3 in unique([3])
assert dict(count("aab")) == {"a": 2, "b": 1} and count("a") == {"a": 1}
assert math.isclose(half(3), 1.5) and isinstance(half(3), float) and Fraction(3, 2) == half(3)
assert all(half(i) == i / 2 for i in range(4))
assert twice(lambda x: x + 1, 3) == 5 and twice(abs, -3) == 3
assert list(zip(numbers(), "ab")) == [(0, "a"), (1, "b")]
assert Point(1, 2) + Point(1, 1) == Point(2, 3) and Point(1, 1) != Point(1, 2) and 2 in Point(1, 2)
assert (lambda a: (order(a), a))([2, 1]) == (None, [1, 2])
`;
    const source = `
from collections import Counter
def unique(x): return set(x)
def count(x): return Counter(x)
def half(x): return x / 2
def twice(f, x): return f(f(x))
def numbers():
    n = 0
    while True:
        yield n
        n += 1
def order(a): a.sort()
class Point:
    def __init__(self, x, y): self.at = (x, y)
    def __add__(self, other): return Point(self.at[0] + other.at[0], self.at[1] + other.at[1])
    def __eq__(self, other): return self.at == other.at
    def __contains__(self, x): return x in self.at
`;
    const tests = findSamples(text);
    expect(tests.map((t) => t.kind)).toEqual(Array.from({ length: 8 }, () => "python-assert"));
    const results = await runTests(sandbox, { language: "python", source }, tests);
    expect(results.map((r) => r.passed)).toEqual(tests.map(() => true));
    const wrong = await runTests(
      sandbox,
      { language: "python", source: source.replace("a.sort()", "sorted(a)") },
      tests,
    );
    expect(wrong.map((r) => r.passed)).toEqual([...tests.slice(1).map(() => true), false]);
  });

  test("sessions see what is printed, what is shown, and values that change", async () => {
    const session = `>>> greet("Ann")\nHi, Ann!\n>>> a = [2, 1]\n>>> order(a)\n>>> a\n[1, 2]\n>>> n = numbers()\n>>> next(n), next(n)\n(0, 1)\n>>> for i in range(2):\n...     greet(i)\nHi, 0!\nHi, 1!\n>>> Box(3)\n<3>\n>>> Box(3).value\n3\n`;
    const source =
      "def greet(x): print(f'Hi, {x}!')\ndef order(a): a.sort()\ndef numbers(): yield from range(5)\nclass Box:\n    def __init__(self, v): self.value = v\n    def __repr__(self): return f'<{self.value}>'";
    const [session1] = findSamples(session);
    expect(session1?.kind).toBe("doctest");
    const run = async (code: string) =>
      (await runTests(sandbox, { language: "python", source: code }, session1 ? [session1] : [])).map((r) => r.passed);
    expect(await run(source)).toEqual([true]);
    expect(await run(source.replace("Hi, ", "Hello, "))).toEqual([false]);
  });

  test("methods of a Solution class, doctests with state and raw asserts are run", async () => {
    const leetcode = "def twoSum(self, nums, target):\n\nInput: nums = [2,7], target = 9\nOutput: [0,1]\n";
    const method = "class Solution:\n    def twoSum(self, nums, target):\n        return (0, 1)";
    expect(
      (await runTests(sandbox, { language: "python", source: method }, findSamples(leetcode))).map((r) => r.passed),
    ).toEqual([true]);

    const session = ">>> s = Stack()\n>>> s.push(3)\n>>> s.pop()\n3\n\nassert abs(half(3) - 1.5) < 1e-9\n";
    const source = "class Stack(list):\n    push = list.append\ndef half(x): return x / 2\nprint('noise')";
    const results = await runTests(sandbox, { language: "python", source }, findSamples(session));
    expect(results.map((r) => r.passed)).toEqual([true, true]);
    const wrong = await runTests(
      sandbox,
      { language: "python", source: source.replace("/ 2", "// 2") },
      findSamples(session),
    );
    expect(wrong.map((r) => r.passed).sort()).toEqual([false, true]);
  });
});
