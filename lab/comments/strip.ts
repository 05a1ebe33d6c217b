// Removes comments from a program: the defence against attacks that praise or instruct in comments,
// and the check that a modification of the test bed is a comment alone. Off the product: no published
// system strips comments before it judges.
import { canonicalLanguage } from "../../src/core/candidate/languages.ts";
import { braceCuts, type CommentDialect } from "./braces.ts";
import { applyCuts, type Cut } from "./cuts.ts";
import { C, CPP, CSHARP, GO, GO_CGO, JAVA, KOTLIN, RUST, withoutHiddenSyntax } from "./dialects.ts";
import { javascriptCuts } from "./javascript.ts";
import { pythonCuts } from "./python.ts";

interface Scanner {
  /** The language's own change of a source before it looks for comments. */
  translate?(source: string): string;
  /** null when this source's comments cannot be found safely. */
  cuts(source: string): Cut[] | null;
  newlineSeparates: boolean;
}

const braces = (dialect: CommentDialect, newlineSeparates = false, unsafe?: RegExp): Scanner => ({
  cuts: (source) => (unsafe?.test(source) ? null : braceCuts(source, dialect)),
  newlineSeparates,
});

const javascript = (isModule: boolean): Scanner => ({
  cuts: (source) => javascriptCuts(source, isModule),
  newlineSeparates: true,
});

const SCANNERS: ReadonlyMap<string, Scanner> = new Map([
  ["python", { cuts: pythonCuts, newlineSeparates: false }],
  ["javascript", javascript(false)],
  ["typescript", javascript(true)],
  ["mjs", javascript(true)],
  ["c", braces(C)],
  ["cpp", braces(CPP)],
  ["java", { ...braces(JAVA), translate: withoutHiddenSyntax }],
  ["go", braces(GO, true, GO_CGO)],
  ["rust", braces(RUST)],
  ["csharp", braces(CSHARP)],
  ["kotlin", braces(KOTLIN, true)],
]);

const scannerOf = (language: string | null): Scanner | undefined =>
  language === null ? undefined : SCANNERS.get(canonicalLanguage(language) ?? "");

/**
 * The program without its comments and docstrings, for the six best known attacks on code verifiers
 * are comments (formulas g). What the program does stays the same (its own line numbers and
 * source text apart): strings, templates, regular expressions and compiler directives are kept, and
 * a program that does not compile still does not. Idempotent; linear time; never throws.
 * @param language a language's name or common alias, in any case
 * @returns null when the language is unknown, or when this source's comments cannot be removed
 *   safely (cgo preambles): the caller
 *   warns and keeps the text as it is
 */
export function stripComments(source: string, language: string | null): string | null {
  const scanner = scannerOf(language);
  if (scanner === undefined) return null;
  const translated = scanner.translate?.(source) ?? source;
  const cuts = scanner.cuts(translated);
  return cuts && applyCuts(translated, cuts, scanner.newlineSeparates);
}
