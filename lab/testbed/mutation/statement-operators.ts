// The mistakes in statements: left out, left without a branch, left too early, adding up wrongly.
import type { SyntaxNode } from "@lezer/common";
import { childrenOf, enclosing } from "../syntax/grammar.ts";
import { type Edit, type Operator, replaced, type Source } from "./operator.ts";

const nothing = (source: Source): string => (source.language === "python" ? "pass" : ";");

/** The rest of a statement that is dropped; its line end stays, which some grammars count in. */
function dropped(node: SyntaxNode, source: Source): Edit {
  return { from: node.from, to: node.from + source.text(node).trimEnd().length, text: nothing(source) };
}

const BLOCKS = new Set(["Body", "Block"]);
const LEAVES = /^(?:Return|Continue|Break|Raise|Throw)Statement$/;

/** The statements of an `if` without `else`; null for every other node. */
function loneBranch(node: SyntaxNode): SyntaxNode[] | null {
  if (node.name !== "IfStatement" || node.getChild("else") || node.getChild("elif")) return null;
  if (node.parent?.name === "IfStatement") return null;
  const body = node.lastChild;
  if (body === null) return null;
  return BLOCKS.has(body.name) ? childrenOf(body).filter(({ name }) => /Statement|Declaration/.test(name)) : [body];
}

const edgeCaseDropped: Operator = {
  name: "edge case dropped",
  weight: 3,
  edits(node, source) {
    const statements = loneBranch(node);
    const last = statements?.at(-1);
    return last && LEAVES.test(last.name) ? [[dropped(node, source)]] : [];
  },
};

const branchDropped: Operator = {
  name: "branch dropped",
  weight: 1,
  edits(node, source) {
    const last = loneBranch(node)?.at(-1);
    return last && !LEAVES.test(last.name) ? [[dropped(node, source)]] : [];
  },
};

/** Cuts of `elif …` and `else …`, each up to the end of its branch. */
const alternativeDropped: Operator = {
  name: "alternative dropped",
  weight: 2,
  edits(node, source) {
    const children = node.name === "IfStatement" ? childrenOf(node) : [];
    return children.flatMap((child, i) => {
      if (!/^(?:elif|else)$/.test(child.name)) return [];
      const body = children.slice(i + 1).find(({ name }) => BLOCKS.has(name) || source.language === "javascript");
      if (body === undefined) return [];
      const text = source.code.slice(child.from, body.to).trimEnd();
      return [[{ from: child.from, to: child.from + text.length, text: "" }]];
    });
  },
};

const SCOPES = new Set(["FunctionDefinition", "Script"]);
/** A program that prints nothing is far from correct. */
const OUTPUT = /^(?:print|console|process|sys|import|from)\b/;

/**
 * Dropping a first assignment only leaves a name without a value, so its target must be written
 * somewhere before.
 */
function isDroppable(node: SyntaxNode, source: Source): boolean {
  const text = source.text(node);
  if (/^(?:UpdateStatement|BreakStatement|ContinueStatement)$/.test(node.name)) return true;
  if (node.name === "ExpressionStatement") return !/^["']/.test(text) && !OUTPUT.test(text);
  if (node.name !== "AssignStatement" || node.firstChild === null) return false;
  const scope = enclosing(node, SCOPES)?.from ?? 0;
  const before = source.code.slice(scope, node.from);
  return before.split(/[^\w.]+/).includes(source.text(node.firstChild).split("[")[0] as string);
}

const statementDropped: Operator = {
  name: "statement dropped",
  weight: 1.5,
  edits: (node, source) => (isDroppable(node, source) ? [[dropped(node, source)]] : []),
};

const breakConfused: Operator = {
  name: "break confused",
  weight: 3,
  edits(node) {
    if (node.name === "break") return [[replaced(node, "continue")]];
    return node.name === "continue" ? [[replaced(node, "break")]] : [];
  },
};

const OTHER_UPDATE: Record<string, readonly string[]> = {
  "+=": ["=", "-="],
  "-=": ["+=", "="],
  "*=": ["+=", "="],
  "//=": ["/="],
  "%=": ["//="],
  "|=": ["^="],
};

const accumulatorConfused: Operator = {
  name: "accumulator confused",
  weight: 1,
  edits(node, source) {
    if (node.name !== "UpdateOp") return [];
    const others = (OTHER_UPDATE[source.text(node)] ?? []).filter(
      (text) => source.language === "python" || !text.includes("//"),
    );
    return others.map((text) => [replaced(node, text)]);
  },
};

export const STATEMENT_OPERATORS: readonly Operator[] = [
  edgeCaseDropped,
  branchDropped,
  alternativeDropped,
  statementDropped,
  breakConfused,
  accumulatorConfused,
];
