// Removing comments takes every comment attack out of a program and leaves the program what it was.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs under test hold templates
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { ATTACKS, CARRIERS, type Carried, honest, LANGUAGES } from "../../../test/security/injections.ts";
import { stripComments } from "../../comments/strip.ts";
import { MODIFICATIONS } from "../../testbed/adversarial/modifications.ts";
import { modify } from "../../testbed/adversarial/modify.ts";
import { parseProgram } from "../../testbed/syntax/grammar.ts";
import { sameTokens } from "../../testbed/syntax/tokens.ts";

const strip = (program: string, language: Carried) => stripComments(program, language) as string;

/**
 * Lone surrogates and characters that Python's or a parser's source may not hold are for the other
 * suite.
 */
const WRITABLE = ATTACKS.filter(({ text }) => text.isWellFormed() && !/\p{Cc}/u.test(text.replaceAll("\n", "")));

/**
 * The part of a text that lexers see: the characters that any of them looks at, and runs of others, which
 * they pass over. Texts of one shape take one way through them, so one of each is carried.
 */
const shapeOf = (text: string) => text.replace(/[^\\'"`/*\n#<>!{}$()\u2028\u2029-]+/g, "x");
const CARRIED = [...new Map(WRITABLE.map((attack) => [shapeOf(attack.text), attack])).values()];

/**
 * Java's comments end by the code that ends C++'s, so of them one attack is enough; what Java alone
 * does is to read escapes first, which only backslashes in strings meet.
 */
const carriedBy = (language: Carried, carrier: keyof typeof CARRIERS) => {
  if (language !== "java") return CARRIED;
  return carrier === "string" ? CARRIED.filter(({ text }) => text.includes("\\")) : CARRIED.slice(0, 1);
};

/** Adds words that programs never contain, to look for afterwards. */
const withMark = (text: string) => `zq-mark ${text} zq-mark`;

const COMMENTED = LANGUAGES.flatMap((language) =>
  (["line comment", "block comment"] as const).flatMap((carrier) =>
    carriedBy(language, carrier).map(({ name, text }) => ({
      name,
      language,
      carrier,
      program: CARRIERS[carrier][language](withMark(text)),
    })),
  ),
);

describe.each(LANGUAGES)("in %s", (language) => {
  test.each(COMMENTED.filter((entry) => entry.language === language))(
    "$name goes with its $carrier",
    ({ program, carrier }) => {
      const stripped = strip(program, language);
      const plain = CARRIERS[carrier][language]("");
      expect(stripped).not.toContain("zq-mark");
      expect(stripped.trim()).toBe(strip(plain, language).trim());
      // A docstring is a token to the grammar; the runs below judge Python.
      if (language !== "python" || carrier !== "block comment") {
        expect(sameTokens(stripped, program, language, { renaming: false })).toBe(true);
      }
    },
  );

  test.each(carriedBy(language, "string"))("$name stays in a string, for the program prints its length", ({ text }) => {
    const program = CARRIERS.string[language](text);
    expect(strip(program, language).trimEnd()).toBe(program.trimEnd());
  });

  const kept = MODIFICATIONS.filter((modification) => modification.isKeptByPaper);

  test.each(kept)("the robustness study's $name goes, and nothing else", ({ name }) => {
    expect(kept).toHaveLength(6);
    for (const seed of [1, 2, 3]) {
      const { code, applied } = modify(honest(language), language, name, { seed });
      expect(applied).toBe(true);
      expect(strip(code, language)).toBe(strip(honest(language), language));
    }
  });
});

/**
 * Comments in the places where a stripper without a lexer goes wrong; each program prints what it
 * did.
 */
const TRAPS: Record<Carried, readonly string[]> = {
  python: [
    'x = "# no" # yes\nprint(x, \'#\', """#\n#""") # yes',
    "def f():\n    'yes'\n    # yes\nprint(f())",
    "x = f\"{'#'}{1:#x}\" # yes\nprint(x)",
    "print(len('''a # no\nb''')) # yes \\\nprint(1)",
    "class A:\n    '''yes'''\n    x = r'\\' # no'\nprint(A.x, A().x)",
  ],
  javascript: [
    "const x = '// no' + `/* no ${'// no'} */`; // yes\nconsole.log(x)",
    "const n = 4, g = 2; console.log(n /2/ g, /[/]\\/\\*/.test('//*')) /* yes */",
    "console.log(1) <!-- yes\n--> yes\nlet a = 3; while (a --> 0) console.log(a)",
    "const f = () => { return /* yes\n*/ 1 }; console.log(f())",
    "console.log(`${`//${1}/*`}`) // yes `",
  ],
  cpp: [
    'const char* x = "// no"; /* yes */ auto y = R"(/* no */ // no)"; // yes',
    "int a = 1'000'000; // it's yes\nchar c = '\"'; // yes \"",
    "int b = 1; /\\\n/ yes\nint c = 2; /\\\n* yes *\\\n/ int d = 3;",
    "// yes \\\n   still yes\nint e = 4;",
    "#define TWICE(x) /* yes */ ((x) * 2) // yes\nint f = TWICE(2);",
  ],
  java: [
    'class A { String x = "// no"; /* yes */ char c = \'"\'; /** yes */ int y; // yes\n}',
    'class A { String t = """\n  // no \\""" /* no */\n  """; // yes\n}',
    "class A { /* yes * / still /* yes */ int z = 6 / 2; // yes\n}",
    "class A { \\u002f\\u002f yes\\u000a int y; \\u002f* yes *\\u002f int w; }",
    'class A { String u = "\\\\u0022"; // yes\n}',
  ],
};

describe("traps for what is no lexer", () => {
  test.each(LANGUAGES.flatMap((language) => TRAPS[language].map((program) => ({ language, program }))))(
    "$language: $program",
    ({ language, program }) => {
      const stripped = strip(program, language);
      expect(stripped).not.toContain("yes");
      expect(stripped.split("no").length).toBe(program.split("no").length);
      expect(strip(stripped, language)).toBe(stripped);
      // The grammars know neither HTML comments, line ends in comments, joined lines nor Java's
      // escapes.
      if (parseProgram(program, language) !== null && !/<!--|return \/|\\\n|\\u00|'yes'|'''yes/.test(program)) {
        expect(sameTokens(stripped, program, language, { renaming: false })).toBe(true);
      }
    },
  );
});

describe("run in the sandbox", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox({ workers: 1 });
  });
  afterAll(() => sandbox.close());

  const ran = async (language: "python" | "javascript", source: string) => {
    const { status, stdout, error } = await sandbox.run({ language, source, stdin: "21\n" });
    return { status, stdout, failed: error !== null };
  };

  test.each(["python", "javascript"] as const)(
    "programs in %s do the same with and without their comments",
    async (language) => {
      const programs = [
        ...COMMENTED.filter((entry) => entry.language === language).map(({ program }) => program),
        ...carriedBy(language, "string").map(({ text }) => CARRIERS.string[language](text)),
      ];
      for (const program of programs) {
        const before = await ran(language, program);
        expect(before, program).toMatchObject({ status: "ok", stdout: expect.stringMatching(/^42 \d+\n$/) });
        expect(await ran(language, strip(program, language)), program).toEqual(before);
      }
      for (const program of TRAPS[language]) {
        const before = await ran(language, program);
        expect(before.status, program).toBe("ok");
        expect(await ran(language, strip(program, language)), program).toEqual(before);
      }
    },
  );
});
