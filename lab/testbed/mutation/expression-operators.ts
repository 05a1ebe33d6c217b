// The mistakes inside an expression: comparisons, logic, arithmetic.
import type { SyntaxNode } from "@lezer/common";
import { childrenOf } from "../syntax/grammar.ts";
import { type Edit, type Operator, replaced, type Source } from "./operator.ts";

/** An operator that writes one token of a kind as another. */
function tokenOperator(
  name: string,
  weight: number,
  kinds: readonly string[],
  others: Record<string, readonly string[]>,
  applies: (node: SyntaxNode, source: Source) => boolean = () => true,
): Operator {
  return {
    name,
    weight,
    edits(node, source) {
      if (!kinds.includes(node.name) || !applies(node, source)) return [];
      return (others[source.text(node)] ?? []).map((text) => [replaced(node, text)]);
    },
  };
}

/** A binary expression's left operand, operator and right operand. */
function binary(node: SyntaxNode): [SyntaxNode, SyntaxNode, SyntaxNode] | null {
  const parts = node.name === "BinaryExpression" ? childrenOf(node) : [];
  return parts.length === 3 ? (parts as [SyntaxNode, SyntaxNode, SyntaxNode]) : null;
}

/** A minus before a text, or a plus that joins texts, has no arithmetic in it. */
function isArithmetic(node: SyntaxNode): boolean {
  const parts = node.parent && binary(node.parent);
  return parts != null && !parts.some(({ name }) => /String/.test(name));
}

const isLogic = (node: SyntaxNode, source: Source) => /^(?:and|or|&&|\|\|)$/.test(source.text(node));
const isNegation = (node: SyntaxNode, source: Source) => /^(?:not|!)$/.test(source.text(node));

const clauseDropped: Operator = {
  name: "clause dropped",
  weight: 3.5,
  edits(node, source) {
    const parts = binary(node);
    if (parts === null || !isLogic(parts[1], source)) return [];
    return [[replaced(node, source.text(parts[0]))], [replaced(node, source.text(parts[2]))]];
  },
};

const CONDITIONAL = new Set(["IfStatement", "WhileStatement"]);

/**
 * Python's conditions follow `if`, `elif` and `while`; JavaScript's are in the statement's only parentheses.
 */
function conditionsOf(node: SyntaxNode): SyntaxNode[] {
  const children = childrenOf(node);
  return children.filter((_, i) => /^(?:if|elif|while)$/.test(children[i - 1]?.name ?? ""));
}

const negatedCondition: Operator = {
  name: "condition negated",
  weight: 0.5,
  edits(node, source) {
    if (!CONDITIONAL.has(node.name)) return [];
    return conditionsOf(node).map((condition) => {
      const text = source.text(condition);
      return [replaced(condition, source.language === "python" ? `not (${text})` : `(!${text})`)];
    });
  },
};

const negationDropped: Operator = {
  name: "negation dropped",
  weight: 0.5,
  edits(node, source) {
    const [sign, operand] = node.name === "UnaryExpression" ? childrenOf(node) : [];
    if (!sign || !operand || !isNegation(sign, source)) return [];
    return [[replaced(node, source.text(operand))]];
  },
};

const signDropped: Operator = {
  name: "sign dropped",
  weight: 5,
  edits(node, source) {
    const [sign, operand] = node.name === "UnaryExpression" ? childrenOf(node) : [];
    return sign && operand && source.text(sign) === "-" ? [[replaced(node, source.text(operand))]] : [];
  },
};

const NOT_COMMUTATIVE = /^(?:-|\/|\/\/|%|\*\*)$/;

const operandsSwapped: Operator = {
  name: "operands swapped",
  weight: 3.5,
  edits(node, source) {
    const parts = binary(node);
    if (parts === null || !NOT_COMMUTATIVE.test(source.text(parts[1])) || !isArithmetic(parts[1])) return [];
    const [left, , right] = parts;
    // A sum on one side would be read with the other operator's precedence.
    if ([left, right].some(({ name }) => name === "BinaryExpression")) return [];
    return [[replaced(left, source.text(right)), replaced(right, source.text(left))]];
  },
};

const remainderDropped: Operator = {
  name: "remainder dropped",
  weight: 5,
  edits(node, source): Edit[][] {
    const parts = binary(node);
    return parts !== null && source.text(parts[1]) === "%" && isArithmetic(parts[1])
      ? [[replaced(node, source.text(parts[0]))]]
      : [];
  },
};

export const EXPRESSION_OPERATORS: readonly Operator[] = [
  tokenOperator("comparison boundary", 3, ["CompareOp"], { "<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"] }),
  tokenOperator("comparison replaced", 2, ["CompareOp"], {
    "==": ["!=", "<=", ">="],
    "===": ["!==", "<=", ">="],
    "!=": ["==", "<", ">"],
    "!==": ["===", "<", ">"],
    "<": [">", "!="],
    "<=": [">="],
    ">": ["<", "!="],
    ">=": ["<="],
  }),
  tokenOperator("logic replaced", 2.5, ["and", "or", "LogicOp"], {
    and: ["or"],
    or: ["and"],
    "&&": ["||"],
    "||": ["&&"],
  }),
  tokenOperator(
    "arithmetic replaced",
    2,
    ["ArithOp"],
    { "+": ["-"], "-": ["+"], "*": ["+"], "//": ["*"], "/": ["*"], "%": ["//"], "**": ["*"] },
    isArithmetic,
  ),
  tokenOperator("integer division as division", 2.5, ["ArithOp"], { "//": ["/"] }, isArithmetic),
  clauseDropped,
  negatedCondition,
  negationDropped,
  signDropped,
  operandsSwapped,
  remainderDropped,
];
