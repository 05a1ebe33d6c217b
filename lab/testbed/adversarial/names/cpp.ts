// The role of each name in a C++ program.
import type { SyntaxNode } from "@lezer/common";
import { declares, FIXES, type NameRules, type Role, scopeOf, USES } from "./role.ts";

const SCOPES = new Set(["CompoundStatement", "ForStatement", "ForRangeLoop", "LambdaExpression", "FunctionDefinition"]);
const PARAMETER_SCOPES = new Set([...SCOPES, "TypeDescriptor", "Declaration", "FieldDeclaration", "TypeDefinition"]);
const DECLARATORS = new Set([
  "InitDeclarator",
  "ArrayDeclarator",
  "PointerDeclarator",
  "ReferenceDeclarator",
  "StructuredBindingDeclarator",
]);
const PARAMETERS = new Set(["ParameterDeclaration", "OptionalParameterDeclaration"]);

const isDeclarator = ({ name }: SyntaxNode) => name === "Identifier" || DECLARATORS.has(name);

/**
 * A child that stands first among its siblings that could be declared; what follows is a value or a
 * size.
 */
function isFirstDeclarator(node: SyntaxNode): boolean {
  for (let at = node.prevSibling; at !== null; at = at.prevSibling) if (isDeclarator(at)) return false;
  return true;
}

/** The node that declares this identifier, or null when it is in a value. */
function declarationOf(node: SyntaxNode): SyntaxNode | null {
  let [part, whole] = [node, node.parent];
  while (whole !== null && DECLARATORS.has(whole.name)) {
    if (whole.name !== "StructuredBindingDeclarator" && !isFirstDeclarator(part)) return null;
    [part, whole] = [whole, whole.parent];
  }
  if (whole === null) return null;
  if (whole.name === "Declaration" || whole.name === "ForRangeLoop") {
    return whole.name === "Declaration" || isFirstDeclarator(part) ? whole : null;
  }
  return PARAMETERS.has(whole.name) ? whole : null;
}

function identifierRole(node: SyntaxNode, parent: SyntaxNode, code: string): Role {
  if (parent.name === "FunctionDeclarator" || parent.name === "ScopedIdentifier") return FIXES;
  if (/Preproc|Using|Macro|Attribute|Enumerator|Template/.test(parent.name)) return FIXES;
  const captures = parent.name === "LambdaCaptureSpecifier" && /\w\s*=/.test(code.slice(parent.from, parent.to));
  if (captures) return FIXES;
  const declaration = declarationOf(node);
  if (declaration === null) return USES;
  return declares(scopeOf(node, PARAMETERS.has(declaration.name) ? PARAMETER_SCOPES : SCOPES));
}

function roleOf(node: SyntaxNode, code: string): Role | null {
  const { name, parent } = node;
  if (parent === null) return null;
  if (name === "Identifier") return identifierRole(node, parent, code);
  // The grammar has to guess what is a type; a name that is also one somewhere stays. So does a
  // member that its struct declares.
  if (name === "TypeIdentifier" || name === "NamespaceIdentifier") return FIXES;
  return name === "FieldIdentifier" && /Declarat/.test(parent.name) ? FIXES : null;
}

export const CPP_NAMES: NameRules = {
  roleOf,
  hoisted: false,
  reserved: new Set(["main", "argc", "argv", "errno", "stdin", "stdout"]),
  // Macros are text: they may use any name, paste names together, or print them.
  reflection: /^[ \t]*#[ \t]*define\b[^\n]*#/m,
};
