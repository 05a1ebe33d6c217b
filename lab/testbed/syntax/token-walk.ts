// The walk over a program's tokens, with the nodes that open and close around them. Knows not what tokens are
// compared for.
import type { SyntaxNode, Tree } from "@lezer/common";
import { isComment } from "./grammar.ts";

export interface Token {
  text: string;
  /**
   * The node's name in the grammar; "" for unnamed punctuation, "text" for a piece of a template,
   * "member" for a member.
   */
  kind: string;
  from: number;
  to: number;
}

/** Literals that are one token whatever the grammar sees inside. */
const ATOMIC = new Set([
  "String",
  "StringLiteral",
  "CharLiteral",
  "RawString",
  "RegExp",
  "TextBlock",
  "PreprocDirective",
]);
/** Literals with holes: what stands between the holes is text, blanks included. */
const TEMPLATES = new Set(["TemplateString", "FormatString"]);

/**
 * After a point, and as a method, Java's identifiers are members: another kind of name, though the
 * grammar has one kind for both.
 */
export function isMember({ name, parent, prevSibling }: SyntaxNode): boolean {
  if (name !== "Identifier" || parent === null) return false;
  return parent.name === "MethodName" || (parent.name === "FieldAccess" && prevSibling !== null);
}

export interface Visitor {
  open?(name: string): void;
  close?(name: string): void;
  token(token: Token): void;
}

export interface WalkOptions {
  /** Take a literal with holes as one token (default false: its holes are walked into). */
  wholeTemplates?: boolean;
}

/**
 * Walks a program's tokens in order, with the opening and closing of the nodes around them.
 * Comments are not seen.
 */
export function walkTokens(
  code: string,
  tree: Tree,
  visitor: Visitor,
  { wholeTemplates = false }: WalkOptions = {},
): void {
  const isWhole = ({ name, firstChild }: SyntaxNode) =>
    firstChild === null || ATOMIC.has(name) || (wholeTemplates && TEMPLATES.has(name));
  const pieces = (from: number, to: number) => {
    // A backslash before a line end joins Python's lines; it is a blank like any other.
    for (const { index, 0: text } of code.slice(from, to).matchAll(/(?!\\\r?\n)\S+?(?=\\\r?\n|\s|$)/g)) {
      visitor.token({ text, kind: "", from: from + index, to: from + index + text.length });
    }
  };
  const visit = (node: SyntaxNode) => {
    if (isWhole(node)) {
      const text = code.slice(node.from, node.to);
      if (text !== "")
        visitor.token({ text, kind: isMember(node) ? "member" : node.name, from: node.from, to: node.to });
      return;
    }
    const gap = TEMPLATES.has(node.name)
      ? (from: number, to: number) => from < to && visitor.token({ text: code.slice(from, to), kind: "text", from, to })
      : pieces;
    visitor.open?.(node.name);
    let at = node.from;
    for (let child: SyntaxNode | null = node.firstChild; child !== null; child = child.nextSibling) {
      gap(at, child.from);
      if (!isComment(child.name)) visit(child);
      at = child.to;
    }
    gap(at, node.to);
    visitor.close?.(node.name);
  };
  visit(tree.topNode);
}

export function tokensOf(code: string, tree: Tree, options?: WalkOptions): Token[] {
  const tokens: Token[] = [];
  walkTokens(code, tree, { token: (token) => tokens.push(token) }, options);
  return tokens;
}
