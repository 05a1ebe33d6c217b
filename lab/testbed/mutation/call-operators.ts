// The mistakes in calls: the wrong function, a step left out, arguments swapped or missing.
import type { SyntaxNode } from "@lezer/common";
import { childrenOf } from "../syntax/grammar.ts";
import { type Operator, replaced, type Source } from "./operator.ts";
import { argumentsOf } from "./value-operators.ts";

const calleeOf = (node: SyntaxNode) => (node.name === "CallExpression" ? node.firstChild : null);

const OTHER_FUNCTION: Record<string, readonly string[]> = {
  min: ["max"],
  max: ["min"],
  any: ["all"],
  all: ["any"],
  "Math.min": ["Math.max"],
  "Math.max": ["Math.min"],
  "Math.floor": ["Math.ceil", "Math.round"],
  "Math.ceil": ["Math.floor"],
  "Math.trunc": ["Math.round"],
  bisect_left: ["bisect_right"],
  bisect_right: ["bisect_left"],
  "bisect.bisect_left": ["bisect.bisect_right"],
  "bisect.bisect_right": ["bisect.bisect_left"],
};

const functionConfused: Operator = {
  name: "function confused",
  weight: 2.5,
  edits(node, source) {
    const callee = calleeOf(node);
    return callee === null ? [] : (OTHER_FUNCTION[source.text(callee)] ?? []).map((text) => [replaced(callee, text)]);
  },
};

/**
 * Functions whose call gives its first argument, nearly; some need another wrapper to stay of the
 * same type.
 */
const NEARLY_IDENTITY: Record<string, string> = {
  abs: "",
  sorted: "list",
  set: "list",
  reversed: "",
  "Math.abs": "",
  "Math.floor": "",
  "Math.trunc": "",
  "Math.round": "",
};

const callDropped: Operator = {
  name: "call dropped",
  weight: 5,
  edits(node, source) {
    const callee = calleeOf(node);
    const wrapper = callee === null ? undefined : NEARLY_IDENTITY[source.text(callee)];
    const [argument] = wrapper === undefined ? [] : argumentsOf(node);
    return argument === undefined ? [] : [[replaced(node, `${wrapper}(${source.text(argument)})`)]];
  },
};

const NEARLY_IDENTITY_METHODS = new Set([
  "strip",
  "rstrip",
  "lstrip",
  "lower",
  "upper",
  "trim",
  "trimEnd",
  "toLowerCase",
  "toUpperCase",
  "sort",
  "reverse",
  "slice",
]);

/**
 * A method step left out of a chain: `line.trim()` becomes `line`. A call that is a whole statement
 * is left to statements.
 */
const stepDropped: Operator = {
  name: "step dropped",
  weight: 1.5,
  edits(node, source) {
    const callee = calleeOf(node);
    const method = callee?.getChild("PropertyName");
    const object = callee?.firstChild;
    if (!method || !object || node.parent?.name === "ExpressionStatement") return [];
    return NEARLY_IDENTITY_METHODS.has(source.text(method)) ? [[replaced(node, source.text(object))]] : [];
  },
};

/**
 * Functions whose arguments' order means nothing, or where swapping never gives a program that
 * runs.
 */
const UNSWAPPABLE = /^(?:print|range|min|max|gcd|math\.gcd|Math\.min|Math\.max|console\.log|map|zip|isinstance)$/;

const argumentsSwapped: Operator = {
  name: "arguments swapped",
  weight: 1.5,
  edits(node, source) {
    const callee = calleeOf(node);
    const [first, second, ...more] = callee === null ? [] : argumentsOf(node);
    if (!callee || !first || !second || more.length > 0 || UNSWAPPABLE.test(source.text(callee))) return [];
    if (/Function|Lambda|String/.test(first.name + second.name)) return [];
    return [[replaced(first, source.text(second)), replaced(second, source.text(first))]];
  },
};

/** `key=…` and `reverse=…` of Python's sorts, the comparison function of JavaScript's. */
function orderArguments(list: SyntaxNode, source: Source): { from: number; to: number }[] {
  const inner = childrenOf(list).slice(1, -1);
  if (source.language === "javascript") {
    return inner.length === 1 && inner[0] ? [{ from: inner[0].from, to: inner[0].to }] : [];
  }
  return inner.flatMap((node, i) => {
    const [before, value] = [inner[i - 1], inner[i + 2]];
    if (!/^(?:key|reverse)$/.test(source.text(node)) || inner[i + 1]?.name !== "AssignOp" || !value) return [];
    return [{ from: before?.name === "," ? before.from : node.from, to: value.to }];
  });
}

const orderDropped: Operator = {
  name: "sort order dropped",
  weight: 7,
  edits(node, source) {
    const callee = calleeOf(node);
    const list = node.getChild("ArgList");
    if (callee === null || list === null || !/(?:^|\.)(?:sort|sorted|toSorted|min|max)$/.test(source.text(callee)))
      return [];
    if (source.language === "javascript" && !/[sS]ort/.test(source.text(callee))) return [];
    return orderArguments(list, source).map((range) => [{ ...range, text: "" }]);
  },
};

export const CALL_OPERATORS: readonly Operator[] = [
  functionConfused,
  callDropped,
  stepDropped,
  argumentsSwapped,
  orderDropped,
];
