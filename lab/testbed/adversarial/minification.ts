// Takes out of a program the blanks that its language does not need. Changes no token.
import type { Tree } from "@lezer/common";
import { nodesOf, type SourceLanguage } from "../syntax/grammar.ts";
import { type Token, tokensOf } from "../syntax/token-walk.ts";
import { leadOffset } from "./comments.ts";

const isWord = (character: string) => /[\w$\u0080-\uffff]/.test(character);
const isQuote = (character: string) => /["'`]/.test(character);
const isBracket = (character: string) => /[()[\]{},;]/.test(character);

/**
 * The separator to keep between two tokens that had a blank between them, so that they are read as before.
 */
function separator(previous: string, next: string): "" | " " {
  const [a, b] = [previous.at(-1) as string, next[0] as string];
  const number = /^\.?\d/.test(previous);
  if (number && (isWord(b) || /[.+-]/.test(b))) return " ";
  if ((isWord(a) || isQuote(a)) && (isWord(b) || isQuote(b))) return " ";
  if (a === "[" && b === "[") return " ";
  const merges = !isWord(a) && !isQuote(a) && !isWord(b) && !isQuote(b);
  return merges && !isBracket(a) && !isBracket(b) ? " " : "";
}

type Gap = (previous: Token, next: Token, between: string) => string;

/** A line end stays where JavaScript might end a statement at it. */
const javascriptGap: Gap = (previous, next, between) => {
  if (between.includes("\n") && !/[{([,;]$/.test(previous.text) && !/^[)\]},;]/.test(next.text)) return "\n";
  return separator(previous.text, next.text);
};

/** A line end stays at both ends of a line for the preprocessor. */
function cppGap(code: string): Gap {
  const isDirective = (token: Token) => /^[ \t]*#/.test(code.slice(code.lastIndexOf("\n", token.from) + 1));
  return (previous, next, between) => {
    const ended = between.includes("\n") || previous.text.endsWith("\n");
    if (ended && (isDirective(previous) || next.text.startsWith("#"))) return previous.text.endsWith("\n") ? "" : "\n";
    return separator(previous.text, next.text);
  };
}

/** Line ends outside brackets stay; each level of indentation becomes one blank. */
function pythonGap(tree: Tree): Gap {
  const bodies = [...nodesOf(tree.topNode)].filter(({ name }) => name === "Body");
  let depth = 0;
  return (previous, next, between) => {
    if (/^[([{]$/.test(previous.text)) depth++;
    if (/^[)\]}]$/.test(previous.text)) depth--;
    const ended = between
      .replace(/#[^\n]*/g, "")
      .replace(/\\\r?\n/g, "")
      .includes("\n");
    if (depth > 0 || !ended) return separator(previous.text, next.text);
    const levels = bodies.filter(({ from, to }) => from <= next.from && next.to <= to).length;
    return `\n${" ".repeat(levels)}`;
  };
}

/** The program with only the blanks and line ends that its language needs, and without comments. */
export function minified(code: string, tree: Tree, language: SourceLanguage): string {
  const gaps: Record<SourceLanguage, () => Gap> = {
    python: () => pythonGap(tree),
    javascript: () => javascriptGap,
    cpp: () => cppGap(code),
    java: () => (previous, next) => separator(previous.text, next.text),
  };
  const gap = gaps[language]();
  const tokens = tokensOf(code, tree, { wholeTemplates: true });
  // A first line that declares Python's encoding is a comment with a meaning.
  const head = language === "python" ? code.slice(0, leadOffset(code, language)) : "";
  const parts = tokens.map((token, i) => {
    const previous = tokens[i - 1];
    if (previous === undefined) return token.text;
    const between = code.slice(previous.to, token.from);
    const joint = gap(previous, token, between);
    return (between === "" && !previous.text.endsWith("\n") ? "" : joint) + token.text;
  });
  return `${head}${parts.join("").trimEnd()}\n`;
}
