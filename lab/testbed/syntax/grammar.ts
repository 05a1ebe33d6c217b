// Decides which parser reads which language, and what is common to their trees.
import type { SyntaxNode, Tree } from "@lezer/common";
import { parser as cpp } from "@lezer/cpp";
import { parser as java } from "@lezer/java";
import { parser as javascript } from "@lezer/javascript";
import { parser as python } from "@lezer/python";

const PARSERS = { python, cpp, java, javascript };

export type SourceLanguage = keyof typeof PARSERS;

export const isComment = (name: string): boolean => /Comment$/.test(name);

/** The program's tree; where the parser had to repair the program, it holds error nodes. */
export const repairedTree = (code: string, language: SourceLanguage): Tree => PARSERS[language].parse(code);

/**
 * The grammar of JavaScript has no members in a pattern, so the `=` of
 * `[a[i], a[j]] = [a[j], a[i]]` is an error to it. All tokens are in the tree nonetheless, and
 * programs that swap so are too many to refuse.
 */
const isPatternOfMembers = (error: SyntaxNode): boolean =>
  error.firstChild?.name === "Equals" && error.prevSibling?.name === "ArrayExpression";

/**
 * The program's tree, or null when the parser had to repair it: what was repaired is not what a
 * compiler would read. Lines for the preprocessor are text to all that use trees here, so errors
 * inside them do not count (`#define int long long` is one).
 */
export function parseProgram(code: string, language: SourceLanguage): Tree | null {
  const tree = repairedTree(code, language);
  let broken = false;
  tree.iterate({
    enter({ type, node }) {
      broken ||= type.isError && !isPatternOfMembers(node);
      return !broken && type.name !== "PreprocDirective";
    },
  });
  return broken ? null : tree;
}

/** Named children in order, without comments. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (!isComment(child.name)) children.push(child);
  }
  return children;
}

/** Every node below and including `root`, outer before inner, in the order of the text. */
export function* nodesOf(root: SyntaxNode): Generator<SyntaxNode> {
  yield root;
  for (let child = root.firstChild; child !== null; child = child.nextSibling) yield* nodesOf(child);
}

/** The nearest node with one of these names, above `node`. */
export function enclosing(node: SyntaxNode, names: ReadonlySet<string>): SyntaxNode | null {
  let at = node.parent;
  while (at !== null && !names.has(at.name)) at = at.parent;
  return at;
}
