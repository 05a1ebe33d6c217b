// The guarantees of the mutation engine: what each operator does, that mutants are valid and different, and
// how wrong they are.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { createRandom, shuffled } from "../../../src/core/math/random.ts";
import fc from "../../../test/harness/property.ts";
import { mutants, OPERATORS } from "../../testbed/mutation/mutants.ts";
import type { MutationLanguage } from "../../testbed/mutation/operator.ts";
import { parseProgram } from "../../testbed/syntax/grammar.ts";
import { canonicalText } from "../../testbed/syntax/tokens.ts";
import { folderProblems, passRate, runScript, scriptPrograms } from "./example-programs.ts";

const ALL = 10_000;
const all = (code: string, language: MutationLanguage) => mutants(code, language, { seed: 0, count: ALL });

/** An operator's result for a program: a mutant that has to be among its mutants. */
const MISTAKES: [operator: string, language: MutationLanguage, program: string, mutant: string][] = [
  ["comparison boundary", "python", "ok = a < b", "ok = a <= b"],
  ["comparison boundary", "javascript", "ok = a >= b;", "ok = a > b;"],
  ["comparison replaced", "javascript", "ok = a === b;", "ok = a !== b;"],
  ["logic replaced", "python", "ok = a and b", "ok = a or b"],
  ["logic replaced", "javascript", "ok = a || b;", "ok = a && b;"],
  ["arithmetic replaced", "python", "x = a + b", "x = a - b"],
  ["integer division as division", "python", "x = a // b", "x = a / b"],
  ["clause dropped", "python", "if a and b:\n    f()", "if b:\n    f()"],
  ["condition negated", "python", "while a < b:\n    f()", "while not (a < b):\n    f()"],
  ["condition negated", "javascript", "if (a) f(); else g();", "if (!(a)) f(); else g();"],
  ["negation dropped", "python", "ok = not a", "ok = a"],
  ["sign dropped", "javascript", "x = -a;", "x = a;"],
  ["operands swapped", "python", "x = a - b", "x = b - a"],
  ["remainder dropped", "python", "x = a % b", "x = a"],
  ["constant off by one", "python", "x = f(10)", "x = f(9)"],
  ["wrong initial value", "python", "best = float('inf')", "best = 10**4"],
  ["wrong initial value", "javascript", "let best = -Infinity;", "let best = 0;"],
  ["truth value flipped", "python", "found = False", "found = True"],
  ["range bound", "python", "for i in range(a, n):\n    f()", "for i in range(a, n - 1):\n    f()"],
  ["index shifted", "python", "x = a[i:j]", "x = a[i:j + 1]"],
  ["index shifted", "javascript", "x = a[i];", "x = a[i - 1];"],
  ["variable confused", "python", "x = f(a, b)", "x = f(b, b)"],
  ["function confused", "python", "x = min(a, b)", "x = max(a, b)"],
  ["function confused", "javascript", "x = Math.floor(a);", "x = Math.ceil(a);"],
  ["call dropped", "python", "x = sorted(a)", "x = list(a)"],
  ["call dropped", "javascript", "x = Math.abs(a);", "x = (a);"],
  ["step dropped", "python", "x = line.strip().split()", "x = line.split()"],
  ["step dropped", "javascript", "x = line.trim().split(s);", "x = line.split(s);"],
  ["arguments swapped", "python", "x = f(a, b)", "x = f(b, a)"],
  ["sort order dropped", "python", "a.sort(key=f, reverse=True)", "a.sort(key=f)"],
  ["sort order dropped", "javascript", "a.sort((x, y) => x - y);", "a.sort();"],
  [
    "edge case dropped",
    "python",
    "if n == 0:\n    quit()\nif n == 1:\n    raise a\nf()",
    "if n == 0:\n    quit()\npass\nf()",
  ],
  [
    "edge case dropped",
    "javascript",
    "function f() {\n  if (a) return 0;\n  g();\n}",
    "function f() {\n  ;\n  g();\n}",
  ],
  ["branch dropped", "python", "if a:\n    f()\ng()", "pass\ng()"],
  ["alternative dropped", "python", "if a:\n    f()\nelse:\n    g()\nh()", "if a:\n    f()\n\nh()"],
  ["alternative dropped", "javascript", "if (a) f();\nelse g();", "if (a) f();\n"],
  ["statement dropped", "python", "for i in a:\n    x.append(i)\n    f(i)", "for i in a:\n    pass\n    f(i)"],
  ["break confused", "javascript", "while (a) { f(); break; }", "while (a) { f(); continue; }"],
  ["accumulator confused", "python", "x += a", "x = a"],
];

describe("operators", () => {
  test.each(MISTAKES)("%s (%s): %j", (operator, language, program, mutant) => {
    const found = all(program, language).filter(({ mutation }) => mutation.startsWith(operator));
    expect(found.map(({ code }) => code)).toContain(mutant);
  });

  test("each of them is shown above", () => {
    expect(new Set(MISTAKES.map(([operator]) => operator))).toEqual(new Set(OPERATORS.map(({ name }) => name)));
  });

  test("leave strings, comments and docstrings alone", () => {
    expect(all('# a < b\n"""x = 1 + 2"""\ns = "a < b and 10"\n', "python")).toEqual([]);
    expect(all("// a < b\nconst s = `a < b`;\n", "javascript")).toEqual([]);
  });

  test("name the line of the mistake", () => {
    expect(all("f()\n\nok = a < b\n", "python").map(({ mutation }) => mutation)).toContain(
      "comparison boundary (line 3)",
    );
  });
});

describe("mutants", () => {
  test("of every program are many, parse, and differ from it and from each other", () => {
    const counts: number[] = [];
    for (const { name, language, code } of scriptPrograms) {
      const made = mutants(code, language as MutationLanguage, { seed: 3, count: 20 });
      const forms = [code, ...made.map((mutant) => mutant.code)].map((each) => {
        const tree = parseProgram(each, language);
        return tree && canonicalText(each, tree);
      });
      expect([name, forms.includes(null), new Set(forms).size]).toEqual([name, false, made.length + 1]);
      counts.push(made.length);
    }
    expect(counts.filter((count) => count === 20).length / counts.length).toBeGreaterThan(0.9);
  });

  test("are the same for the same seed, and a smaller count is the beginning of a larger one", () => {
    const anyProgram = fc.constantFrom(...scriptPrograms);
    fc.assert(
      fc.property(anyProgram, fc.nat(), fc.integer({ min: 1, max: 8 }), ({ code, language }, seed, count) => {
        const draw = (wanted: number) => mutants(code, language as MutationLanguage, { seed, count: wanted });
        expect(draw(count)).toEqual(draw(count));
        expect(draw(count)).toEqual(draw(count + 3).slice(0, count));
        expect(draw(count).length).toBeLessThanOrEqual(count);
      }),
      { numRuns: 20 },
    );
  });

  test("of order 2 hold two mistakes in two places", () => {
    const { code } = scriptPrograms.find(({ name }) => name === "day-count/right.py") as { code: string };
    const made = mutants(code, "python", { seed: 1, count: 10, order: 2 });
    const single = new Set(all(code, "python").map((mutant) => mutant.code));
    expect(made).toHaveLength(10);
    for (const mutant of made) {
      expect(mutant.mutation).toMatch(/^[^+]+ \(line \d+\) \+ [^+]+ \(line \d+\)$/);
      expect(single.has(mutant.code)).toBe(false);
    }
  });

  test("of a program that does not parse, or that has nothing to mistake, are none", () => {
    expect(all("def f(:\n", "python")).toEqual([]);
    expect(all("f();\n", "javascript").filter(({ code }) => code === "f();\n")).toEqual([]);
    expect(mutants("f = g\n", "python", { seed: 1, count: 3, order: 2 })).toEqual([]);
  });
});

describe("run in the sandbox", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox({ workers: 1 });
  });
  afterAll(() => sandbox.close());

  test("a seeded sample of mutants compiles, and its pass rates are graded, hard ones among them", async () => {
    const sample = shuffled(folderProblems, createRandom(7)).slice(0, 6);
    const rates: number[] = [];
    for (const { programs, hidden } of sample) {
      for (const program of programs.filter(({ name }) => name.startsWith("right"))) {
        for (const mutant of mutants(program.code, program.language as MutationLanguage, { seed: 7, count: 5 })) {
          const results = await runScript(sandbox, { ...program, code: mutant.code }, hidden);
          expect(results.filter(({ error }) => /SyntaxError|IndentationError/.test(error ?? ""))).toEqual([]);
          rates.push(passRate(results));
        }
      }
    }
    const share = (low: number, high: number) =>
      rates.filter((rate) => rate >= low && rate <= high).length / rates.length;
    expect(rates.length).toBe(60);
    expect(new Set(rates).size).toBeGreaterThanOrEqual(8);
    expect(share(0.7, 0.9)).toBeGreaterThan(0.1);
    expect(share(0.05, 0.5)).toBeGreaterThan(0.2);
    expect(share(1, 1)).toBeLessThan(0.3);
  });
});
