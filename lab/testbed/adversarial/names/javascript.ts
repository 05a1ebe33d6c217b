// The role of each name in a JavaScript program.
import type { SyntaxNode } from "@lezer/common";
import { declares, FIXES, type NameRules, type Role, scopeOf, USES } from "./role.ts";

const FUNCTIONS = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunction",
  "MethodDeclaration",
  "StaticBlock",
]);
const BLOCKS = new Set([...FUNCTIONS, "Block", "ForStatement", "SwitchBody", "CatchClause", "TryStatement"]);

const FUNCTION_VALUES = new Set(["ArrowFunction", "FunctionExpression", "ClassExpression"]);

/** The owner of a name's pattern: a declaration, an assignment, or the node that has it as a parameter. */
function ownerOf(node: SyntaxNode): SyntaxNode | null {
  let at: SyntaxNode | null = node;
  while (at !== null && /Pattern|^VariableDefinition$/.test(at.name)) at = at.parent;
  return at;
}

const isAssigned = (owner: SyntaxNode): boolean =>
  owner.name === "AssignmentExpression" ||
  (/^For(?:Of|In)Spec$/.test(owner.name) && !["const", "let", "var"].some((word) => owner.getChild(word)));

function definitionRole(node: SyntaxNode, parent: SyntaxNode): Role {
  // Names that tests or other modules call, and names of shorthand properties, are kept.
  if (/^(?:FunctionDeclaration|ClassDeclaration|ClassExpression|FunctionExpression)$/.test(parent.name)) return FIXES;
  if (/Import|Export/.test(parent.name)) return FIXES;
  const isShorthand = parent.name === "PatternProperty" && parent.getChild(":") === null;
  if (isShorthand && parent.firstChild?.from === node.from) return FIXES;
  const owner = ownerOf(node);
  if (owner === null || isAssigned(owner)) return USES;
  const value = owner.name === "VariableDeclaration" ? node.nextSibling?.nextSibling : null;
  if (owner.parent?.name === "Script" && value && FUNCTION_VALUES.has(value.name)) return FIXES;
  return declares(scopeOf(node, owner.getChild("var") ? FUNCTIONS : BLOCKS));
}

function roleOf(node: SyntaxNode): Role | null {
  const { name, parent } = node;
  if (parent === null) return null;
  if (name === "PropertyDefinition") return parent.name === "Property" && parent.getChild(":") === null ? FIXES : null;
  if (name === "VariableName") return /Export|JSX/.test(parent.name) ? FIXES : USES;
  return name === "VariableDefinition" ? definitionRole(node, parent) : null;
}

export const JAVASCRIPT_NAMES: NameRules = {
  roleOf,
  hoisted: true,
  reserved: new Set(["arguments", "undefined", "require", "module", "exports", "process", "console"]),
  reflection: /\b(?:eval|Function|globalThis|window|global|with)\b\s*[.([]/,
};
