// The proof that stripping comments leaves programs as they were: golden pairs, programs that are run, and
// properties.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs under test hold templates

import { spawnSync } from "node:child_process";
import vm from "node:vm";
import { describe, expect, test } from "vitest";
import { cpuMs } from "../../../test/harness/cpu-time.ts";
import fc from "../../../test/harness/property.ts";
import { stripComments } from "../../comments/strip.ts";
import { BRACE_PAIRS, JAVASCRIPT_PAIRS, PYTHON_PAIRS } from "./comment-pairs.ts";

const ALL_PAIRS = [...PYTHON_PAIRS, ...JAVASCRIPT_PAIRS, ...BRACE_PAIRS];

test.each(ALL_PAIRS)("$language: $what, and stripping twice is stripping once", ({ language, source, stripped }) => {
  expect(stripComments(source, language)).toBe(stripped);
  expect(stripComments(stripped, language)).toBe(stripped);
});

test("an unknown language is null, and so is a source whose comments cannot be told apart safely", () => {
  expect(stripComments("-- x", "haskell")).toBeNull();
  expect(stripComments("# x", null)).toBeNull();
  expect(stripComments("x", "constructor")).toBeNull();
  expect(stripComments('// #include <stdio.h>\nimport "C"\n', "go")).toBeNull();
});

test("languages go by their aliases in any case", () => {
  for (const language of ["Python", "py", "PYTHON3", "pypy3"]) expect(stripComments("x # c", language)).toBe("x");
  for (const language of ["js", "TypeScript", "c++", "C#", "Go", "rs", "kt", "Java", "c"]) {
    expect(stripComments("x; // c", language)).toBe("x;");
  }
});

describe("JavaScript programs do the same without their comments", () => {
  const evaluate = (source: string): unknown => vm.runInNewContext(source, {}, { timeout: 60_000 });

  test.each(JAVASCRIPT_PAIRS.filter(({ runs }) => runs))("$what", ({ source }) => {
    const stripped = stripComments(source, "javascript") as string;
    expect(JSON.stringify(evaluate(stripped))).toBe(JSON.stringify(evaluate(source)));
    expect(JSON.stringify(evaluate(source))).not.toBe(undefined);
  });

  const atom = fc.constantFrom(
    ...[
      "a",
      "2",
      '"//"',
      "'/*'",
      "`${a}//`",
      "`x${`/*${a}`}*/`",
      "(a)",
      "[a/2][0]",
      "/\\/[/*]/.source",
      "({b:a}).b",
      "'\\'//'",
    ],
  );
  const gap = fc.constantFrom(" ", " /* it's ` */ ", " /* a\n b */ ", " // \"quote' `\n", "\n");
  const expression = fc
    .array(fc.tuple(atom, fc.constantFrom("+", "/", "*", "-", ",", "<"), gap, gap), { minLength: 1, maxLength: 8 })
    .map((parts) => `${parts.map(([a, op, g, h]) => `${a}${g}${op}${h}`).join("")}1`);

  test("generated expressions of strings, templates, regular expressions and divisions", () => {
    fc.assert(
      fc.property(fc.array(expression, { minLength: 1, maxLength: 3 }), (expressions) => {
        const source = `var a = 7;\n${expressions.map((e, i) => `var r${i} = [${e}]; // r${i}`).join("\n")}\n[${expressions.map((_, i) => `r${i}`)}]`;
        const stripped = stripComments(source, "js") as string;
        expect(JSON.stringify(evaluate(stripped))).toBe(JSON.stringify(evaluate(source)));
        expect(stripped).not.toMatch(/quote'|it's|\/\/ r/);
      }),
      { numRuns: 150 },
    );
  });
});

describe("Python programs do the same without their comments", () => {
  const DUMP = `
import ast, json, sys
def dump(source):
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return "SyntaxError"
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                setattr(node, field, [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and isinstance(s.value.value, (str, bytes)))])
    return ast.dump(tree)
print(json.dumps([dump(s) for s in json.load(sys.stdin)]))`;

  /**
   * The syntax trees of many programs, without string statements; null where the machine has no
   * Python.
   */
  function dumps(sources: readonly string[]): string[] | null {
    const run = spawnSync("python3", ["-W", "ignore", "-c", DUMP], {
      input: JSON.stringify(sources),
      encoding: "utf8",
    });
    return run.status === 0 ? (JSON.parse(run.stdout) as string[]) : null;
  }

  const pieces = fc.constantFrom(
    ...'x = 1;if x:;def f(a, b=2):;class A:;    pass;    return a;    \'doc\';    """it\'s # a;still""";y = f\'{x!r:>{x}} # no\''.split(
      ";",
    ),
    ...[
      "# note",
      '    # it\'s """',
      "'top' # c",
      "'a'; x = 2",
      "if x: 'inline'",
      "z = (1, # c",
      "     2)",
      "x = 1 \\",
      "  + 2",
    ],
    ...[
      "f = lambda: 'kept'",
      "w: 'int' = 3",
      "        'deep'",
      "('a' 'b')",
      "b'bytes'",
      "",
      "s = '''a # b",
      "c''' # d",
      "'\\x'",
      "else:",
    ],
  );
  const programs = fc.sample(fc.array(pieces, { minLength: 1, maxLength: 9 }), { numRuns: 1500, seed: 11 });
  const sources = [...PYTHON_PAIRS.map(({ source }) => source), ...programs.map((lines) => lines.join("\n"))];

  test("the syntax tree is the same, broken programs stay broken, and no comment is left", () => {
    const stripped = sources.map((source) => stripComments(source, "python") as string);
    for (const text of stripped) expect(stripComments(text, "python")).toBe(text);
    const before = dumps(sources);
    const after = dumps(stripped);
    expect(after === null).toBe(before === null);
    if (before === null || after === null) return;
    expect(before.filter((tree) => tree !== "SyntaxError").length).toBeGreaterThan(100);
    for (const [i, tree] of before.entries()) {
      expect(after[i], `${sources[i]}\n=====\n${stripped[i]}`).toBe(tree);
    }
  });
});

describe("any text at all", () => {
  const languages = fc.constantFrom(..."python javascript c cpp java go rust csharp kotlin".split(" "));
  const fragments = fc.constantFrom(
    ...'/|*|//|/*|*/|#|#!|\'|"|`|\'\'\'|"""|\\|${|{|}|(|)|[|]|:|;|R"(|)"|r#"|"#|@"|$"|f\'|b"|a|1|\'a|return|lambda|def f():|\n|\r\n|\r|\u2028|   |\t|=|!|\\\n'.split(
      "|",
    ),
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(fragments, { maxLength: 40 }).map((parts) => parts.join("")),
  );

  test("never throws, only takes away, and stripping twice is stripping once", () => {
    fc.assert(
      fc.property(languages, texts, (language, text) => {
        const once = stripComments(text, language);
        if (once === null) return;
        expect(stripComments(once, language)).toBe(once);
        expect(once.length).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 1500 },
    );
  });

  test.each([
    "'",
    "`${",
    'f"{',
    "/*",
    "(",
    "@",
    "\\",
    '"""',
    "'''\n",
    "x/",
    "# \n",
    "'a'\n",
    "{\n",
    '$"{',
    "f'{x:{",
    "import ",
  ])("half a megabyte of %j takes linear time", (unit) => {
    const source = unit.repeat(Math.ceil(2 ** 19 / unit.length));
    for (const language of ["python", "javascript", "cpp", "java", "go", "rust", "csharp", "kotlin"]) {
      const started = cpuMs();
      stripComments(source, language);
      expect(cpuMs() - started, language).toBeLessThan(5000);
    }
  });
});
