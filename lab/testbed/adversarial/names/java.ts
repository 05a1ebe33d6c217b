// The role of each name in a Java program.
import type { SyntaxNode } from "@lezer/common";
import { isMember } from "../../syntax/token-walk.ts";
import { declares, FIXES, type NameRules, type Role, scopeOf, USES } from "./role.ts";

const CALLABLES = ["MethodDeclaration", "ConstructorDeclaration", "LambdaExpression", "CatchClause"];
const SCOPES = new Set([
  ...CALLABLES,
  "Block",
  "ConstructorBody",
  "ForStatement",
  "EnhancedForStatement",
  "SwitchBlock",
  "TryWithResourcesStatement",
]);

const LOCAL =
  /^(?:FormalParameter|CatchFormalParameter|InferredParameters|LambdaExpression|ForSpec|Resource|SpreadParameter)$/;

/** Locals and parameters; what a class declares is visible to others, by its name. */
function definitionRole(node: SyntaxNode, parent: SyntaxNode): Role {
  const owner = parent.name === "VariableDeclarator" ? parent.parent : parent;
  if (owner === null || !(LOCAL.test(owner.name) || owner.name === "LocalVariableDeclaration")) return FIXES;
  return declares(scopeOf(node, SCOPES));
}

function roleOf(node: SyntaxNode): Role | null {
  const { name, parent } = node;
  if (parent === null) return null;
  if (name === "Definition") return definitionRole(node, parent);
  if (name !== "Identifier") return null;
  if (isMember(node) || parent.name === "ScopedIdentifier") return null;
  return USES;
}

export const JAVA_NAMES: NameRules = {
  roleOf,
  hoisted: false,
  reserved: new Set(["args"]),
  reflection: /\\u[0-9a-fA-F]{4}/,
};
