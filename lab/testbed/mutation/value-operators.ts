// The mistakes in values: constants, initial values, bounds, indices, names.
import type { SyntaxNode } from "@lezer/common";
import { childrenOf, enclosing, nodesOf } from "../syntax/grammar.ts";
import { type Edit, type Operator, replaced, type Source } from "./operator.ts";

const INTEGER = /^(?:0|[1-9]\d{0,14})$/;

const constantShifted: Operator = {
  name: "constant off by one",
  weight: 3,
  edits(node, source) {
    const text = node.name === "Number" ? source.text(node) : "";
    if (!INTEGER.test(text)) return [];
    const value = Number(text);
    return [value + 1, value - 1].filter((other) => other >= 0).map((other) => [replaced(node, String(other))]);
  },
};

const ASSIGNMENTS = new Set(["AssignStatement", "VariableDeclaration"]);
const EXTREMES: Record<string, string> = {
  "float('inf')": "10**4",
  'float("inf")': "10**4",
  Infinity: "1e4",
  "math.inf": "10**4",
};

const initialValue: Operator = {
  name: "wrong initial value",
  weight: 1.5,
  edits(node, source) {
    if (node.parent === null || !ASSIGNMENTS.has(node.parent.name)) return [];
    const text = source.text(node);
    if (text === "0") return [[replaced(node, "1")], [replaced(node, "-1")]];
    if (text === "1") return [[replaced(node, "0")]];
    if (text === "-1") return [[replaced(node, "0")]];
    const extreme = EXTREMES[text.replace(/^-/, "")];
    if (extreme !== undefined) return [[replaced(node, text.startsWith("-") ? "0" : extreme)]];
    return [];
  },
};

const TRUTHS: Record<string, string> = { True: "False", False: "True", true: "false", false: "true" };

const truthFlipped: Operator = {
  name: "truth value flipped",
  weight: 1,
  edits(node, source) {
    const other = /^Boolean/.test(node.name) ? TRUTHS[source.text(node)] : undefined;
    return other === undefined ? [] : [[replaced(node, other)]];
  },
};

/**
 * The positional arguments of a call: one node each; empty when some are named, spread or made of
 * several nodes.
 */
export function argumentsOf(call: SyntaxNode): SyntaxNode[] {
  const list = call.getChild("ArgList");
  const inner = list === null ? [] : childrenOf(list).slice(1, -1);
  if (inner.some((node, i) => (node.name === ",") !== (i % 2 === 1))) return [];
  return inner.filter(({ name }) => name !== ",");
}

/** The same bound one lower and one higher. */
const shifted = (node: SyntaxNode, source: Source): Edit[][] =>
  ["- 1", "+ 1"].map((shift) => [replaced(node, `${source.text(node)} ${shift}`)]);

const rangeBound: Operator = {
  name: "range bound",
  weight: 2,
  edits(node, source) {
    const callee = node.name === "CallExpression" ? node.firstChild : null;
    if (callee === null || source.text(callee) !== "range") return [];
    return argumentsOf(node)
      .slice(0, 2)
      .filter(({ name }) => name !== "Number")
      .flatMap((bound) => shifted(bound, source));
  },
};

const SHIFTABLE = new Set(["VariableName", "BinaryExpression"]);

/** `a[i]`, `a[i + 1]` and the bounds of `a[i:j]`. */
const indexShifted: Operator = {
  name: "index shifted",
  weight: 1.5,
  edits(node, source) {
    const children = node.name === "MemberExpression" ? childrenOf(node) : [];
    if (children[1]?.name !== "[") return [];
    const slice = children.some(({ name }) => name === ":");
    return children
      .slice(2)
      .filter(({ name }) => SHIFTABLE.has(name) || (slice && name === "CallExpression"))
      .flatMap((index) => shifted(index, source));
  },
};

const FUNCTIONS = new Set([
  "FunctionDefinition",
  "FunctionDeclaration",
  "ArrowFunction",
  "FunctionExpression",
  "Script",
]);
const STATEMENT = /Statement$|^VariableDeclaration$/;

/** A name is read here: not called, not written to, and no name of an argument. */
function isRead(node: SyntaxNode): boolean {
  const { parent, nextSibling } = node;
  if (node.name !== "VariableName" || parent === null) return false;
  return /^(?:BinaryExpression|ArgList|ParenthesizedExpression)$/.test(parent.name) && nextSibling?.name !== "AssignOp";
}

/**
 * Another variable of the same statement in place of this one; the same statement, so that it is
 * mostly of the same type.
 */
const nameConfused: Operator = {
  name: "variable confused",
  weight: 2.5,
  edits(node, source) {
    if (!isRead(node)) return [];
    let statement = node.parent;
    while (statement !== null && !STATEMENT.test(statement.name) && !FUNCTIONS.has(statement.name))
      statement = statement.parent;
    if (statement === null || statement.getChild("Body") || statement.getChild("Block")) return [];
    const name = source.text(node);
    const others = new Set([...nodesOf(statement)].filter(isRead).map((other) => source.text(other)));
    others.delete(name);
    return enclosing(node, FUNCTIONS) === null ? [] : [...others].slice(0, 2).map((text) => [replaced(node, text)]);
  },
};

export const VALUE_OPERATORS: readonly Operator[] = [
  constantShifted,
  initialValue,
  truthFlipped,
  rangeBound,
  indexShifted,
  nameConfused,
];
