// The role of each name in a Python program.
import type { SyntaxNode } from "@lezer/common";
import { declares, FIXES, type NameRules, type Role, scopeOf, USES } from "./role.ts";

const FUNCTIONS = new Set(["FunctionDefinition", "LambdaExpression"]);
/** A generator that is a call's only argument has no separate node: its `for` is in the argument list. */
const COMPREHENSION = /Comprehension(?:Expression)?$|^ArgList$/;
const COMPREHENSIONS = new Set([
  "ArrayComprehensionExpression",
  "ComprehensionExpression",
  "SetComprehensionExpression",
  "DictionaryComprehensionExpression",
]);
const SCOPES = new Set([...FUNCTIONS, ...COMPREHENSIONS]);
const PATTERNS = new Set(["TupleExpression", "ArrayExpression", "ParenthesizedExpression"]);

const BUILTINS = `abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir
  divmod enumerate exec eval exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance
  issubclass iter len list locals map max memoryview min next object oct open ord pow print property quit range repr reversed
  round set setattr slice sorted staticmethod str sum super tuple type vars zip self cls _`;

/** Whether a child of an assignment, a `for` or a `with` stands where it is written to. */
function isTarget(node: SyntaxNode, parent: SyntaxNode): boolean {
  const after = (name: string) => {
    for (let at = node.nextSibling; at !== null; at = at.nextSibling) if (at.name === name) return true;
    return false;
  };
  if (parent.name === "AssignStatement") return after("AssignOp") || parent.lastChild?.name === "TypeDef";
  if (parent.name === "ForStatement" || COMPREHENSION.test(parent.name)) {
    // Between its `for` and its `in`; a comprehension may have several of both.
    let at = node.prevSibling;
    while (at !== null && at.name !== "for" && at.name !== "in" && at.name !== "if") at = at.prevSibling;
    return at?.name === "for";
  }
  if (parent.name === "WithStatement" || parent.name === "TryStatement") return node.prevSibling?.name === "as";
  return parent.name === "NamedExpression" && node.prevSibling === null;
}

/** In the parentheses of a definition a name is a parameter, unless it is in a default or an annotation. */
const isParameter = (node: SyntaxNode, parent: SyntaxNode) =>
  parent.name === "ParamList" && node.prevSibling?.name !== "AssignOp";

/**
 * Names that other programs or Python itself know: definitions, what a class body holds, and
 * functions kept in a variable.
 */
function isInterface(node: SyntaxNode, statement: SyntaxNode): boolean {
  if (statement.name !== "AssignStatement") return false;
  const owner = statement.parent?.name === "Body" ? statement.parent.parent : statement.parent;
  return (
    owner?.name === "ClassDefinition" ||
    (owner?.name === "Script" && statement.lastChild?.name === "LambdaExpression" && node.parent === statement)
  );
}

function roleOf(node: SyntaxNode): Role | null {
  const { name, parent } = node;
  if (name !== "VariableName" || parent === null) return null;
  if (/^(?:ImportStatement|ScopeStatement|ClassDefinition|FunctionDefinition)$/.test(parent.name)) return FIXES;
  if (/Pattern|^MatchClause$/.test(parent.name)) return FIXES;
  if (parent.name === "ArgList" && node.nextSibling?.name === "AssignOp") return FIXES;
  if (parent.name === "FormatReplacement" && parent.getChild("FormatSelfDoc")) return FIXES;
  if (isParameter(node, parent)) return declares(scopeOf(node, FUNCTIONS));
  let [part, whole] = [node, parent];
  while (PATTERNS.has(whole.name) && whole.parent !== null) [part, whole] = [whole, whole.parent];
  if (!isTarget(part, whole)) return USES;
  if (isInterface(part, whole)) return FIXES;
  return declares(
    COMPREHENSION.test(whole.name) ? whole : scopeOf(node, whole.name === "NamedExpression" ? FUNCTIONS : SCOPES),
  );
}

export const PYTHON_NAMES: NameRules = {
  roleOf,
  hoisted: true,
  reserved: new Set(BUILTINS.split(/\s+/)),
  reflection:
    /\b(?:globals|locals|vars|eval|exec|getattr|setattr|dir|__dict__|__annotations__|inspect)\b|\bimport\s*\*/,
};
