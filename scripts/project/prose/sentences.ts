// Finds what a person reads in a source file: comments, sentences in strings, paragraphs of documentation and
// declared names, each with its line.
import { type ESTree, parseSync } from "rolldown/utils";

/** A piece of prose, without marks of comments, in one line. */
export interface Prose {
  line: number;
  text: string;
}

export interface Readable {
  prose: readonly Prose[];
  names: readonly Prose[];
}

/** A string is taken for a sentence from this length on, if it begins with a capital letter and holds blanks. */
const SENTENCE = /^[A-Z][^\n]* [^\n]* /;
const SENTENCE_CHARACTERS = 25;

const lineCounter = (text: string) => (offset: number) => text.slice(0, offset).split("\n").length;

/** Splits lines into paragraphs at empty ones; a list's items are paragraphs of their own. */
function paragraphsOf(rows: readonly string[], first: number): Prose[] {
  const found: { line: number; words: string[] }[] = [];
  let isOpen = false;
  for (const [at, row] of rows.entries()) {
    const words = row.replace(/^[#>|\s]*(?:[-*] |\d+\. )?/, "").trim();
    if (words === "") isOpen = false;
    else if (isOpen && !/^\s*(?:[-*|#>@]|\d+\.)/.test(row)) found.at(-1)?.words.push(words);
    else {
      found.push({ line: first + at, words: [words] });
      isOpen = true;
    }
  }
  return found.map(({ line, words }) => ({ line, text: words.join(" ") }));
}

/** Markdown without fenced code. */
export function readMarkdown(text: string): Readable {
  let isCode = false;
  const rows = text.split("\n").map((row) => {
    const isFence = /^\s*```/.test(row);
    if (isFence) isCode = !isCode;
    return isCode || isFence ? "" : row;
  });
  return { prose: paragraphsOf(rows, 1), names: [] };
}

/** Comments of Python and shell, and Python's docstrings. */
export function readHashComments(text: string): Readable {
  const prose: Prose[] = [];
  const rows = text.split("\n");
  let block: string[] = [];
  rows.forEach((row, at) => {
    const comment = /^\s*#(?!!) ?(.*)$/.exec(row)?.[1];
    if (comment !== undefined) block.push(comment);
    else if (block.length > 0) {
      prose.push(...paragraphsOf(block, at + 1 - block.length));
      block = [];
    }
  });
  const lineOf = lineCounter(text);
  for (const found of text.matchAll(/"""([\s\S]*?)"""/g))
    prose.push(...paragraphsOf((found[1] as string).split("\n"), lineOf(found.index)));
  return { prose, names: [] };
}

type Node = ESTree.Node;
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function* nodesBelow(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node))
    if (Array.isArray(value)) for (const item of value) isNode(item) && (yield* nodesBelow(item));
    else if (isNode(value)) yield* nodesBelow(value);
}

/** The identifiers that a pattern of a declaration or a parameter binds. */
function* boundIn(pattern: Node | null): Generator<Node> {
  if (pattern === null) return;
  if (pattern.type === "Identifier") yield pattern;
  else if (pattern.type === "ObjectPattern") for (const part of pattern.properties) yield* boundIn(part as Node);
  else if (pattern.type === "ArrayPattern") for (const part of pattern.elements) yield* boundIn(part as Node | null);
  else if (pattern.type === "AssignmentPattern") yield* boundIn(pattern.left as Node);
  else if (pattern.type === "RestElement") yield* boundIn(pattern.argument as Node);
  else if (pattern.type === "Property") yield* boundIn(pattern.value as Node);
  else if (pattern.type === "TSParameterProperty") yield* boundIn(pattern.parameter as Node);
}

/** The names that a node declares, as its identifiers. */
function* declaredBy(node: Node): Generator<Node> {
  switch (node.type) {
    case "VariableDeclarator":
      yield* boundIn(node.id as Node);
      break;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      if (node.id) yield node.id as Node;
      for (const parameter of node.params) yield* boundIn(parameter as Node);
      break;
    case "TSMethodSignature":
      yield node.key as Node;
      for (const parameter of node.params) yield* boundIn(parameter as Node);
      break;
    case "TSFunctionType":
      for (const parameter of node.params) yield* boundIn(parameter as Node);
      break;
    case "TSPropertySignature":
    case "PropertyDefinition":
    case "MethodDefinition":
      yield node.key as Node;
      break;
    case "ClassDeclaration":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
      if (node.id) yield node.id as Node;
      break;
  }
}

/** The words of a string, or of a template with `X` for each value; undefined for other nodes. */
function stringIn(node: Node): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked ?? value.raw).join("X");
  return undefined;
}

/** Comments, strings that are sentences, and declared names of a TypeScript or JavaScript file. */
export function readTypeScript(path: string, text: string): Readable {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} is not parsed: ${errors[0]?.message}`);
  const lineOf = lineCounter(text);
  const prose: Prose[] = [];
  let block: { start: number; end: number; rows: string[] } | undefined;
  for (const { type, value, start, end } of comments) {
    const rows = value.split("\n").map((row) => row.replace(/^\s*\* ?/, ""));
    if (type === "Line" && block !== undefined && /^\n[ \t]*$/.test(text.slice(block.end, start))) {
      block.rows.push(...rows);
      block.end = end;
      continue;
    }
    if (block !== undefined) prose.push(...paragraphsOf(block.rows, lineOf(block.start)));
    block = { start, end, rows };
  }
  if (block !== undefined) prose.push(...paragraphsOf(block.rows, lineOf(block.start)));
  const names: Prose[] = [];
  for (const node of nodesBelow(program as Node)) {
    const words = stringIn(node);
    if (words !== undefined && words.length >= SENTENCE_CHARACTERS && SENTENCE.test(words))
      prose.push({ line: lineOf(node.start), text: words });
    for (const name of declaredBy(node))
      if (name.type === "Identifier" || name.type === "PrivateIdentifier")
        names.push({ line: lineOf(name.start), text: name.name });
  }
  return { prose, names };
}
