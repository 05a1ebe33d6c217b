// Parses a reward expression into a tree of numbers, names and calls.
import jsep from "jsep";
import { LIMITS } from "../faults/limits.ts";

/**
 * An expression tree. `at` is the 1-based column in the expression; an operator is a call named by its
 * symbol.
 */
export type Expression =
  | { kind: "number"; value: number; at: number }
  | { kind: "name"; name: string; at: number }
  | { kind: "call"; name: string; args: readonly Expression[]; at: number };

/** An error in an expression, with its column. */
export class ExpressionFault extends Error {
  readonly column: number;
  constructor(column: number, message: string) {
    super(`column ${column}: ${message}`);
    this.name = "ExpressionFault";
    this.column = column;
  }
}

const COMPARISONS: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!="]);
/** Binary operators by precedence, lowest first. All but `^` are left-associative. */
const LEVELS = [["or"], ["and"], [...COMPARISONS], ["+", "-"], ["*", "/"], ["^"]] as const;

jsep.removeAllBinaryOps();
jsep.removeAllUnaryOps();
jsep.removeAllLiterals();
LEVELS.forEach((signs, level) => {
  for (const sign of signs) jsep.addBinaryOp(sign, level + 1, sign === "^");
});
for (const sign of ["-", "+", "not"]) jsep.addUnaryOp(sign);

/** The part of jsep's internal state that plugins may use. */
interface TokenReader {
  index: number;
  expr: string;
  gobbleIdentifier(): jsep.Expression;
  gobbleGroup(): jsep.Expression | false;
  gobbleTokenProperty(node: jsep.Expression): jsep.Expression;
}

/**
 * jsep reports neither columns nor parentheses. This hook records the column of each name, marks
 * parenthesised groups, and rejects unsupported syntax at its column.
 */
jsep.hooks.add("gobble-token", function (this: unknown, env: { node?: jsep.Expression }) {
  const reader = this as TokenReader;
  const start = reader.index;
  const sign = reader.expr.charAt(start);
  if (/["'`[{]/.test(sign)) throw new ExpressionFault(start + 1, `${sign} is not allowed in an expression`);
  if (sign === "(") {
    const group = reader.gobbleGroup();
    if (group === false) throw new ExpressionFault(start + 1, "the parentheses are empty");
    group.grouped = true;
    env.node = reader.gobbleTokenProperty(group);
    return;
  }
  if (!/[a-z_]/i.test(sign)) return;
  const node = reader.gobbleIdentifier();
  if (node.name === "not") {
    reader.index = start;
    return;
  }
  node.at = start + 1;
  env.node = reader.gobbleTokenProperty(node);
});

interface Count {
  nodes: number;
}

/**
 * Parses an expression of at most expression_chars characters and expression_nodes nodes.
 * @throws ExpressionFault with the column of the error
 */
export function parseExpression(text: string): Expression {
  if (text.length > LIMITS.expression_chars) {
    const maxChars = LIMITS.expression_chars;
    throw new ExpressionFault(maxChars + 1, `the expression is longer than expression_chars = ${maxChars} characters`);
  }
  let node: jsep.Expression;
  try {
    node = jsep(text);
  } catch (error) {
    if (error instanceof ExpressionFault) throw error;
    const { index, description } = error as { index?: number; description?: string };
    if (index === undefined) throw error;
    throw new ExpressionFault(index + 1, description ?? "not an expression");
  }
  return treeOf(node, { nodes: 0 }, 1);
}

function treeOf(node: jsep.Expression, count: Count, near: number): Expression {
  count.nodes++;
  const at = (node.at as number | undefined) ?? firstPlace(node) ?? near;
  if (count.nodes > LIMITS.expression_nodes) {
    throw new ExpressionFault(at, `the expression has more than expression_nodes = ${LIMITS.expression_nodes} parts`);
  }
  const inner = (child: unknown) => treeOf(child as jsep.Expression, count, at);
  switch (node.type) {
    case "Literal":
      return { kind: "number", value: numberOf(node.value, at), at };
    case "Identifier":
      return { kind: "name", name: node.name as string, at };
    case "UnaryExpression":
      return {
        kind: "call",
        name: node.operator === "not" ? "not" : `${node.operator}1`,
        args: [inner(node.argument)],
        at,
      };
    case "BinaryExpression": {
      const { operator, left, right } = node as unknown as jsep.BinaryExpression;
      if (COMPARISONS.has(operator)) requirePlainSides(left, right, at);
      // In other languages, -a ^ 2 means -(a ^ 2), but jsep parses (-a) ^ 2.
      if (operator === "^" && left.type === "UnaryExpression" && left.grouped !== true) {
        throw new ExpressionFault(at, "a power of a signed value is ambiguous; write -(a ^ 2) or (-a) ^ 2");
      }
      return { kind: "call", name: operator, args: [inner(left), inner(right)], at };
    }
    case "CallExpression": {
      const { callee, arguments: args } = node as unknown as jsep.CallExpression;
      if (callee.type !== "Identifier") throw new ExpressionFault(at, "only functions can be called");
      return { kind: "call", name: callee.name as string, args: args.map(inner), at };
    }
    case "ConditionalExpression":
      throw new ExpressionFault(at, "? : is not supported in an expression; write if(condition, a, b)");
    case "Compound":
      throw new ExpressionFault(secondPlace(node) ?? at, "an operator is missing here, or the expression is empty");
    default:
      throw new ExpressionFault(at, "an expression may contain only numbers, names, operators and functions");
  }
}

function numberOf(value: unknown, at: number): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new ExpressionFault(at, "numbers in an expression must be finite");
}

/** Rejects `not a == b` and `a < b < c`, which are parsed differently from how they read. */
function requirePlainSides(left: jsep.Expression, right: jsep.Expression, at: number): void {
  if (left.type === "UnaryExpression" && left.operator === "not" && left.grouped !== true) {
    throw new ExpressionFault(at, "not next to a comparison is ambiguous; write not (a == b) or (not a) == b");
  }
  for (const side of [left, right]) {
    if (side.grouped === true) continue;
    if (side.type === "BinaryExpression" && COMPARISONS.has(side.operator as string)) {
      throw new ExpressionFault(at, "comparisons cannot be chained; join two comparisons with and");
    }
  }
}

/** Column of the first name inside a node. */
function firstPlace(node: unknown): number | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  if ("at" in node) return node.at as number;
  if ("callee" in node) return firstPlace(node.callee);
  for (const child of Object.values(node)) {
    const place = Array.isArray(child) ? child.map(firstPlace).find((at) => at !== undefined) : firstPlace(child);
    if (place !== undefined) return place;
  }
  return undefined;
}

function secondPlace(node: jsep.Expression): number | undefined {
  return firstPlace((node.body as unknown[] | undefined)?.[1]);
}

const SIGNS: Readonly<Record<string, string>> = { "-1": "-", "+1": "+", not: "not " };
const levelOf = (name: string): number => LEVELS.findIndex((signs) => (signs as readonly string[]).includes(name));

/**
 * Converts a tree to an expression that parses back to the same tree, avoiding redundant parentheses where
 * possible.
 */
export function printExpression(tree: Expression): string {
  if (tree.kind === "number") return `${tree.value}`;
  if (tree.kind === "name") return tree.name;
  const { name, args } = tree;
  const [first, second] = args as [Expression, Expression];
  const level = levelOf(name);
  const sign = args.length === 1 ? SIGNS[name] : undefined;
  if (sign !== undefined) return `${sign}${isOperator(first) ? `(${printExpression(first)})` : printExpression(first)}`;
  if (level < 0) return `${name}(${args.map(printExpression).join(", ")})`;
  const chains = !COMPARISONS.has(name);
  const right = name === "^";
  const side = (operand: Expression, equal: boolean) => {
    const text = printExpression(operand);
    if (!isOperator(operand)) return text;
    // Among unary operands, only `not` and a signed base of a power need parentheses.
    if (operand.args.length === 1) return operand.name === "not" || (right && operand === first) ? `(${text})` : text;
    return levelOf(operand.name) < level || (equal && levelOf(operand.name) === level) ? `(${text})` : text;
  };
  return `${side(first, right || !chains)} ${name} ${side(second, !right || !chains)}`;
}

const isOperator = (tree: Expression): tree is Expression & { kind: "call" } =>
  tree.kind === "call" && (levelOf(tree.name) >= 0 || tree.name in SIGNS);
