// Decides when two programs are the same but for blanks, comments and names: token streams with their
// nesting.
import type { Tree } from "@lezer/common";
import { parseProgram, type SourceLanguage } from "./grammar.ts";
import { type Token, walkTokens } from "./token-walk.ts";

const IDENTIFIERS: Record<SourceLanguage, ReadonlySet<string>> = {
  python: new Set(["VariableName"]),
  javascript: new Set(["VariableName", "VariableDefinition"]),
  cpp: new Set(["Identifier"]),
  java: new Set(["Identifier", "Definition"]),
};

const isIdentifier = (kind: string, language: SourceLanguage): boolean => IDENTIFIERS[language].has(kind);

/**
 * Tokens and nesting as one list; the nesting is what Python's indentation and JavaScript's line
 * ends decide.
 */
function skeleton(code: string, tree: Tree): Token[] {
  const parts: Token[] = [];
  const mark = (text: string) => parts.push({ text, kind: "nesting", from: 0, to: 0 });
  walkTokens(code, tree, {
    open: (name) => mark(`<${name}>`),
    close: (name) => mark(`</${name}>`),
    token: (token) => parts.push(token),
  });
  return parts;
}

/**
 * The program without blanks and comments, as text that is equal for two programs exactly when
 * their tokens and nesting are.
 */
export function canonicalText(code: string, tree: Tree): string {
  return JSON.stringify(skeleton(code, tree).map(({ text }) => text));
}

/**
 * Whether two programs have the same tokens, nested in the same way, apart from comments and
 * blanks.
 * @param renaming allow identifiers to differ by a one-to-one renaming (default true)
 * @returns false as well when one of them cannot be parsed
 */
export function sameTokens(a: string, b: string, language: SourceLanguage, { renaming = true } = {}): boolean {
  const trees = [parseProgram(a, language), parseProgram(b, language)];
  if (trees[0] == null || trees[1] == null) return false;
  const [left, right] = [skeleton(a, trees[0]), skeleton(b, trees[1])];
  if (left.length !== right.length) return false;
  const [there, back] = [new Map<string, string>(), new Map<string, string>()];
  return left.every((token, i) => {
    const other = right[i] as Token;
    if (token.kind !== other.kind) return false;
    if (!renaming || !isIdentifier(token.kind, language)) return token.text === other.text;
    if (!there.has(token.text)) there.set(token.text, other.text);
    if (!back.has(other.text)) back.set(other.text, token.text);
    return there.get(token.text) === other.text && back.get(other.text) === token.text;
  });
}
