// Where a comment can be put into a program without changing it.
import type { Tree } from "@lezer/common";
import MagicString from "magic-string";
import { shuffled } from "../../../src/core/math/random.ts";
import { isComment, nodesOf, type SourceLanguage } from "../syntax/grammar.ts";

const MARK: Record<SourceLanguage, string> = { python: "#", cpp: "//", java: "//", javascript: "//" };

const CODING = /^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+/;

/**
 * Offset of the first line that may be moved down: after a byte order mark, a `#!` line, and
 * Python's declaration of its encoding, which counts only in the first two lines.
 */
export function leadOffset(code: string, language: SourceLanguage): number {
  let at = code.startsWith("\uFEFF") ? 1 : 0;
  const lineEnd = (from: number) => {
    const end = code.indexOf("\n", from);
    return end < 0 ? code.length : end + 1;
  };
  const line = (from: number) => code.slice(from, lineEnd(from));
  const scripted = language === "python" || language === "javascript";
  if (scripted && line(at).startsWith("#!")) at = lineEnd(at);
  if (language !== "python") return at;
  if (CODING.test(line(at))) return lineEnd(at);
  const second = lineEnd(at);
  const isSecondLine = at <= 1 && second < code.length;
  return isSecondLine && /^[ \t\f]*(?:#|\r?\n)/.test(line(at)) && CODING.test(line(second)) ? lineEnd(second) : at;
}

/** The program with one comment line at its beginning. */
export function withLeadComment(code: string, language: SourceLanguage, text: string): string {
  const at = leadOffset(code, language);
  const joint = at > 0 && code[at - 1] !== "\n" && code[at - 1] !== "\uFEFF" ? "\n" : "";
  return `${code.slice(0, at)}${joint}${MARK[language]} ${text}\n${code.slice(at)}`;
}

const BLOCKS = new Set(["Script", "Program", "Body", "Block", "CompoundStatement"]);

/** Offsets of the lines on which a statement begins, each with that line's indentation. */
function statementLines(code: string, tree: Tree, language: SourceLanguage): { at: number; indent: string }[] {
  const lead = leadOffset(code, language);
  const lines = new Map<number, string>();
  for (const node of nodesOf(tree.topNode)) {
    if (!BLOCKS.has(node.parent?.name ?? "") || !/[a-z]/.test(node.name) || isComment(node.name)) continue;
    const at = code.lastIndexOf("\n", node.from - 1) + 1;
    const indent = code.slice(at, node.from);
    // A backslash before the line end makes this line part of a macro, which a comment line would
    // end.
    const continued = /\\\r?\n$/.test(code.slice(Math.max(0, at - 3), at));
    if (at >= lead && /^[ \t]*$/.test(indent) && !continued) lines.set(at, indent);
  }
  return [...lines].map(([at, indent]) => ({ at, indent }));
}

/** Statements for each comment. */
const STATEMENTS_PER_COMMENT = 3;

/**
 * The program with separate comment lines between its statements, never inside a literal or an expression.
 * @returns null when no statement begins a line
 */
export function withScatteredComments(
  { code, tree, language }: { code: string; tree: Tree; language: SourceLanguage },
  texts: readonly string[],
  random: () => number,
): string | null {
  const lines = statementLines(code, tree, language);
  if (lines.length === 0) return null;
  const count = Math.min(lines.length, texts.length, Math.max(2, Math.round(lines.length / STATEMENTS_PER_COMMENT)));
  const words = shuffled(texts, random);
  const edited = new MagicString(code);
  for (const [i, { at, indent }] of shuffled(lines, random).slice(0, count).entries()) {
    edited.appendLeft(at, `${indent}${MARK[language]} ${words[i]}\n`);
  }
  return edited.toString();
}
