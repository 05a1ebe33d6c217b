// The guarantees of the adversarial modifications: which there are, that none changes what a program does,
// and what each leaves alone.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { createRandom, shuffled } from "../../../src/core/math/random.ts";
import fc from "../../../test/harness/property.ts";
import { stripComments } from "../../comments/strip.ts";
import {
  MODIFICATION_LANGUAGES,
  MODIFICATIONS,
  type ModificationName,
} from "../../testbed/adversarial/modifications.ts";
import { modify } from "../../testbed/adversarial/modify.ts";
import { LEAD_COMMENTS } from "../../testbed/adversarial/wordings.ts";
import type { MutationLanguage } from "../../testbed/mutation/operator.ts";
import type { SourceLanguage } from "../../testbed/syntax/grammar.ts";
import { sameTokens } from "../../testbed/syntax/tokens.ts";
import { folderProblems, programs } from "./example-programs.ts";

const anyProgram = fc.constantFrom(...programs);
const modified = (code: string, language: SourceLanguage, name: ModificationName, seed = 1) =>
  modify(code, language, name, { seed });
const names = MODIFICATIONS.map(({ name }) => name);
const isComments = (name: ModificationName) => name in LEAD_COMMENTS || name === "misleading_comments";
const unblank = (text: string | null) => text?.split("\n").filter((line) => line.trim() !== "");

describe("the modifications", () => {
  test("are twelve in four languages, half of them positive, and six are kept: comments all of them", () => {
    expect(new Set(names).size).toBe(12);
    expect(MODIFICATIONS.filter(({ direction }) => direction === "positive")).toHaveLength(6);
    const kept = MODIFICATIONS.filter((each) => each.isKeptByPaper);
    expect(kept).toHaveLength(6);
    expect(kept.every(({ name }) => isComments(name))).toBe(true);
    for (const { languages } of MODIFICATIONS) expect(languages).toEqual(MODIFICATION_LANGUAGES);
  });

  test.each(names)("%s applies to nearly all programs in each language, and says why where it does not", (name) => {
    for (const language of MODIFICATION_LANGUAGES) {
      const own = programs.filter((program) => program.language === language);
      const outcomes = own.map(({ code }) => ({ before: code, after: modified(code, language, name) }));
      for (const { before, after } of outcomes) {
        expect([after.applied, after.code !== before, after.reason === undefined]).toEqual(
          after.applied ? [true, true, true] : [false, false, false],
        );
      }
      expect(outcomes.filter(({ after }) => after.applied).length / own.length).toBeGreaterThan(0.95);
    }
  });

  test("are the same for the same seed", () => {
    fc.assert(
      fc.property(anyProgram, fc.constantFrom(...names), fc.nat(), ({ code, language }, name, seed) => {
        expect(modified(code, language, name, seed)).toEqual(modified(code, language, name, seed));
      }),
      { numRuns: 60 },
    );
  });

  test("of comments are gone when comments are stripped, and nothing else is", () => {
    const commenting = names.filter(isComments);
    fc.assert(
      fc.property(anyProgram, fc.constantFrom(...commenting), fc.nat(), ({ code, language }, name, seed) => {
        const { code: after, applied } = modified(code, language, name, seed);
        expect(applied).toBe(true);
        expect(unblank(stripComments(after, language))).toEqual(unblank(stripComments(code, language)));
      }),
      { numRuns: 150 },
    );
  });

  test("keep a program's tokens: strictly, up to names, or without the inserted function", () => {
    fc.assert(
      fc.property(anyProgram, fc.constantFrom(...names), fc.nat(), ({ code, language }, name, seed) => {
        const { code: after, inserted } = modified(code, language, name, seed);
        const rest = inserted ? after.slice(0, inserted.from) + after.slice(inserted.to) : after;
        expect(sameTokens(code, rest, language, { renaming: name === "renamed_identifiers" })).toBe(true);
        expect(inserted === undefined || name === "illusory_complexity").toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test("the function of illusory complexity has a unique name", () => {
    const namesake = { language: "python" as const, code: "fold_lattice = residue_walk = 1\nprint(fold_lattice)\n" };
    for (const { code, language } of [...programs, namesake]) {
      const { code: after, inserted } = modified(code, language, "illusory_complexity");
      if (inserted === undefined) continue;
      const name = /(\w+)\(/.exec(after.slice(inserted.from, inserted.to))?.[1] as string;
      expect(after.split(name)).toHaveLength(2);
    }
  });
});

describe("first-line comments", () => {
  test.each([
    ["print(1)\n", "python", 0],
    ["#include <cstdio>\nint main() {}\n", "cpp", 0],
    ["#!/usr/bin/python\n# -*- coding: latin-1 -*-\nprint(1)\n", "python", 2],
    ["# coding=utf-8\nprint(1)\n", "python", 1],
    ["# about\n# coding=utf-8\nprint(1)\n", "python", 2],
    ["print(1)\n# coding=utf-8\n", "python", 0],
    ["#!/usr/bin/env node\nf();\n", "javascript", 1],
  ] as const)(
    "of %j stand first, but below a #! line and Python's declaration of its encoding",
    (code, language, line) => {
      const lines = modified(code, language, "authority").code.split("\n");
      expect(lines.toSpliced(line, 1).join("\n")).toBe(code);
    },
  );

  test("leave a docstring a docstring", () => {
    const { code } = modified('"""What it does."""\nprint(__doc__)\n', "python", "self_declared_correct");
    expect(code).toMatch(/^# .*\n"""What it does."""\nprint\(__doc__\)\n$/);
  });

  test("go on a C++ program whose macros hide its syntax, where nothing else does", () => {
    const code = "#define rep(i, n) for (int i = 0; i < n; i++)\nint main() {\n  rep(i, 3) {\n    f(i);\n  }\n}\n";
    expect(modified(code, "cpp", "authority").code).toMatch(/^\/\/ .*\n#define rep/);
    expect(modified(code, "cpp", "misleading_comments").applied).toBe(true);
    expect(modified(code, "cpp", "renamed_identifiers")).toMatchObject({ code, applied: false });
  });
});

describe("renamed identifiers", () => {
  const renamed = (code: string, language: SourceLanguage) => modified(code, language, "renamed_identifiers").code;
  /** The names of a program that are gone after renaming. */
  const gone = (code: string, language: SourceLanguage) => {
    const words = (text: string) => new Set(text.match(/\w+/g));
    return [...words(code)].filter((word) => !words(renamed(code, language)).has(word)).sort();
  };

  test("in Python leave built-ins, imports, keyword arguments, attributes, strings and definitions alone", () => {
    const code = [
      "from math import gcd",
      "def solve(rows, width=2):",
      "    total = 0",
      "    for row in rows:",
      "        total += sum(cell for cell in row) + gcd(row[0], width)",
      "    print(total, sep='total', end=f'{total:>3} row')",
      "    return total",
      "list = [1]",
      "solve([list], width=3)",
      "",
    ].join("\n");
    expect(gone(code, "python")).toEqual(["cell", "rows"]);
    expect(renamed(code, "python")).toMatch(/sep='total', end=f'\{(\w+):>3\} row'/);
    expect(renamed(code, "python")).not.toMatch(/\btotal \+=/);
  });

  test("in Python keep names that a call, an import, a global statement or a printed expression spells out", () => {
    const code = [
      "from sys import maxsize",
      "maxsize = maxsize - 1",
      "count = shown = loose = 0",
      "def f(width):",
      "    global count",
      "    count = f(width=width - 1) + loose",
      "    print(f'{shown=}')",
      "",
    ].join("\n");
    expect(gone(code, "python")).toEqual(["loose"]);
  });

  test("in Python keep shadowed names together with their uses", () => {
    const code = "n = 1\ndef f(n):\n    return [n for n in range(n)]\nprint(f(n), n)\n";
    expect(renamed(code, "python")).toMatch(
      /^(\w+) = 1\ndef f\(\1\):\n {4}return \[\1 for \1 in range\(\1\)\]\nprint\(f\(\1\), \1\)\n$/,
    );
  });

  test("in Python are refused where names are looked up as text", () => {
    expect(modified("a = 1\nprint(globals()['a'])\n", "python", "renamed_identifiers").applied).toBe(false);
  });

  test("in JavaScript leave properties, shorthand, globals and functions alone", () => {
    const code =
      "function solve(input, size) {\n  const count = input.length;\n  const point = { size, y: count };\n  return Math.max(count, point.y);\n}\n";
    expect(gone(code, "javascript")).toEqual(["count", "input", "point"]);
  });

  test("in JavaScript take an assignment to a pattern for no declaration", () => {
    const code =
      "function f(a) {\n  [low, high] = [high, low];\n  for (item of a) g(item);\n  let [x, y] = a;\n  [x, y] = [y, x];\n}\n";
    expect(gone(code, "javascript")).toEqual(["a", "x", "y"]);
  });

  test("in C++ leave members, macros, types and what is declared elsewhere alone", () => {
    const code =
      "#define SQ(v) ((v) * (scale))\nstruct P { int x; };\nint scale = 2;\nint main() {\n  P p{1};\n  int x = p.x, other = SQ(x);\n  return other + count;\n}\n";
    expect(gone(code, "cpp")).toEqual(["other", "p"]);
  });

  test("in Java leave fields, methods and members alone", () => {
    const code =
      "class A {\n  int size;\n  int f(int size, int in) {\n    int part = this.size + in + System.in.hashCode();\n    return part;\n  }\n}\n";
    expect(gone(code, "java")).toEqual(["part"]);
    expect(renamed(code, "java")).toContain("System.in.hashCode()");
  });
});

describe("minification", () => {
  const small = (code: string, language: SourceLanguage) => modified(code, language, "minification").code;

  test("keeps the whitespace that a language needs, and that of literals", () => {
    expect(small("if a :\n    x = [ 1,\n      2 ]  # two\n    y = f'{ x } {x!r}'\n", "python")).toBe(
      "if a:\n x=[1,2]\n y=f'{ x } {x!r}'\n",
    );
    expect(small("x = a + +b\nreturn1 = 1 .toString()\n", "javascript")).toBe("x=a+ +b\nreturn1=1 .toString()\n");
    expect(small("#define N 3\nint main( ) { return N - -1 ; } // end\n", "cpp")).toBe(
      "#define N 3\nint main(){return N- -1;}\n",
    );
    expect(small('class A { String s = "a  b" ; }\n', "java")).toBe('class A{String s="a  b";}\n');
  });

  test("keeps the line ends at which JavaScript ends statements", () => {
    expect(small("a = b\n(c)\nlet d = 1\n++d\n", "javascript")).toBe("a=b\n(c)\nlet d=1\n++d\n");
  });
});

describe("sameTokens", () => {
  test.each([
    ["blanks and comments", "x = 1 # one\n", "x=1\n", "python", true],
    ["a one-to-one renaming", "a = b\n", "b = a\n", "python", true],
    ["two names made one", "a = b\n", "c = c\n", "python", false],
    ["one name made two", "a = a\n", "b = c\n", "python", false],
    ["another property", "a.b\n", "a.c\n", "python", false],
    ["another nesting", "if a:\n    b\n    c\n", "if a:\n    b\nc\n", "python", false],
    ["another string", "s = 'a b'\n", "s = 'a  b'\n", "python", false],
    ["a swap of members", "[a[i], a[j]] = [a[j], a[i]];\n", "[a[i],a[j]]=[a[j],a[i]]\n;", "javascript", true],
    [
      "another swap of members",
      "[a[i], a[j]] = [a[j], a[i]];\n",
      "[a[i], a[j]] = [a[i], a[j]];\n",
      "javascript",
      false,
    ],
    ["another template text", `s = \`a $\{b} c\`;\n`, `s = \`a $\{b}  c\`;\n`, "javascript", false],
    ["a statement ended at a line end", "a\n++b\n", "a++\nb\n", "javascript", false],
    ["a missing token", "int a, b;\n", "int a;\n", "cpp", false],
    ["another operator", "int a = b + c;\n", "int a = b - c;\n", "cpp", false],
    [
      "a local named like a member",
      "class A { int f(int in) { return in + x.in; } }",
      "class A { int f(int v) { return v + x.in; } }",
      "java",
      true,
    ],
    [
      "a member renamed",
      "class A { int f() { return x.in; } }",
      "class A { int f() { return x.out; } }",
      "java",
      false,
    ],
    ["a program that does not parse", "def f(:\n", "def f(:\n", "python", false],
  ] as const)("%s", (_, a, b, language, same) => {
    expect(sameTokens(a, b, language)).toBe(same);
    expect(sameTokens(b, a, language)).toBe(same);
  });

  test("without renaming requires the same names", () => {
    expect(sameTokens("a = b\n", "a = c\n", "python", { renaming: false })).toBe(false);
  });
});

describe("run in the sandbox", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox({ workers: 1 });
  });
  afterAll(() => sandbox.close());

  test("a seeded sample of programs prints the same after each modification, right or wrong", async () => {
    for (const { id, programs: own, hidden } of shuffled(folderProblems, createRandom(11)).slice(0, 4)) {
      for (const { name: file, language, code } of own) {
        const outputs = async (source: string) => {
          const plans = hidden.slice(0, 3).map(({ input }) => ({ stdin: input, cells: [], as_script: true }));
          const runs = await sandbox.runPlans({ language: language as MutationLanguage, source }, plans);
          return runs.map(({ status, stdout }) => ({ status, stdout }));
        };
        const before = await outputs(code);
        expect(before.map(({ status }) => status)).not.toContain("unavailable");
        for (const name of names) {
          const after = await outputs(modified(code, language, name, 5).code);
          expect({ id, file, name, after }).toEqual({ id, file, name, after: before });
        }
      }
    }
  });
});
