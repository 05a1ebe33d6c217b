// Owns the removal of comments from a candidate program: which scanner a language takes. Must not know specs or prompts.
import { braceCuts, type Dialect } from "./comments/braces.ts";
import { applyCuts, type Cut } from "./comments/cuts.ts";
import { C, CPP, CSHARP, GO, GO_CGO, JAVA, KOTLIN, RUST, withoutHiddenSyntax } from "./comments/dialects.ts";
import { javascriptCuts } from "./comments/javascript.ts";
import { pythonCuts } from "./comments/python.ts";

interface Scanner {
  names: string;
  /** What the language itself does to a source before it looks for comments. */
  translate?(source: string): string;
  /** null when this source's comments cannot be told apart safely. */
  cuts(source: string): Cut[] | null;
  newlineSeparates: boolean;
}

const braces = (names: string, dialect: Dialect, newlineSeparates = false, unsafe?: RegExp): Scanner => ({
  names,
  cuts: (source) => (unsafe?.test(source) ? null : braceCuts(source, dialect)),
  newlineSeparates,
});

const javascript = (names: string, isModule: boolean): Scanner => ({
  names,
  cuts: (source) => javascriptCuts(source, isModule),
  newlineSeparates: true,
});

const SCANNERS: readonly Scanner[] = [
  { names: "python py python3 py3 python2 pypy pypy3", cuts: pythonCuts, newlineSeparates: false },
  javascript("javascript js node nodejs cjs ecmascript", false),
  javascript("typescript ts mts cts mjs", true),
  braces("c h", C),
  braces("cpp c++ cxx cc hpp c++11 c++14 c++17 c++20 c++23 cpp11 cpp14 cpp17 cpp20 cpp23", CPP),
  { ...braces("java", JAVA), translate: withoutHiddenSyntax },
  braces("go golang", GO, true, GO_CGO),
  braces("rust rs", RUST),
  braces("csharp cs c#", CSHARP),
  braces("kotlin kt kts", KOTLIN, true),
];

const BY_NAME: ReadonlyMap<string, Scanner> = new Map(
  SCANNERS.flatMap((scanner) => scanner.names.split(" ").map((name) => [name, scanner] as const)),
);

/**
 * The program without its comments and docstrings, for the six best known attacks on code verifiers are comments (formulas.md g).
 * What the program does stays the same (its own line numbers and source text apart): strings, templates, regular expressions and
 * compiler directives are kept, and a program that does not compile still does not. Idempotent; linear time; never throws.
 * @param language a language's name or common alias, in any case
 * @returns null when the language is unknown, or when this source's comments cannot be removed safely (cgo preambles): the caller
 *   warns and keeps the text as it is
 */
export function stripComments(source: string, language: string | null): string | null {
  const scanner = language === null ? undefined : BY_NAME.get(language.toLowerCase());
  if (scanner === undefined) return null;
  const translated = scanner.translate?.(source) ?? source;
  const cuts = scanner.cuts(translated);
  return cuts && applyCuts(translated, cuts, scanner.newlineSeparates);
}
