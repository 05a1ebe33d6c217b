// Defines what a name can do where it stands, and what a language says of its names.
import type { SyntaxNode } from "@lezer/common";
import { enclosing } from "../../syntax/grammar.ts";

/**
 * An identifier's role at its place: it declares a name that is visible in `scope`, uses a name, or fixes it:
 * then no occurrence of the name may change, because something outside the program or another kind of name
 * depends on it.
 */
export type Role = { kind: "declares"; scope: SyntaxNode } | { kind: "uses" } | { kind: "fixes" };

export const USES: Role = { kind: "uses" };
export const FIXES: Role = { kind: "fixes" };
export const declares = (scope: SyntaxNode): Role => ({ kind: "declares", scope });

/** The nearest enclosing node of these names, or the whole program. */
export function scopeOf(node: SyntaxNode, names: ReadonlySet<string>): SyntaxNode {
  const found = enclosing(node, names);
  if (found !== null) return found;
  let top = node;
  while (top.parent !== null) top = top.parent;
  return top;
}

export interface NameRules {
  /** The role of a node, or null where it is not a name. */
  roleOf(node: SyntaxNode, code: string): Role | null;
  /** Names that are visible before their declaration, anywhere in their scope. */
  hoisted: boolean;
  /** Names that no program's declaration makes safe to replace. */
  reserved: ReadonlySet<string>;
  /** Code that makes names visible as text at run time; with it nothing is replaced. */
  reflection: RegExp;
}
