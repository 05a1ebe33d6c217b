// Finds examples of function calls in a problem statement: asserts, interpreter sessions, and calls with
// their values.
import { parseLiteral, parseLiterals, type Value } from "./literals.ts";
import type { TestCase } from "./test-cases.ts";

export interface Signature {
  name: string;
  parameters: string[];
}

const NAME = "[A-Za-z_$][\\w$]*";
/** Names that are never the function to be written. */
const NOT_FUNCTIONS = new Set(["print", "assert", "if", "while", "for", "return", "not"]);
/** Names that prose often mentions; ignored unless the statement declares a function. */
const NOT_IN_PROSE = new Set(["range", "len", "O", "f", "int", "input", "max", "min"]);
const PARAMETERS_CHARS = 2_000;
/** Patterns of a function's head, up to the opening parenthesis of the parameters. */
const HEADS = [
  new RegExp(`\\bdef\\s+(${NAME})\\s*\\(`, "g"),
  new RegExp(`\\bfunction\\s+(${NAME})\\s*\\(`, "g"),
  new RegExp(`\\b(?:const|let|var)\\s+(${NAME})\\s*=\\s*(?:function\\s*)?\\(`, "g"),
];
const QUOTED = [
  new RegExp(`\\bfunction\\s+(?:called\\s+|named\\s+)?\`(${NAME})\\s*\\(([^)\`]{0,2000})\\)[^\`]{0,200}\``, "i"),
  new RegExp(`\`(${NAME})\\(((?:${NAME}(?:\\s*,\\s*${NAME})*)?)\\)\``),
];

/** The function that the statement asks for, if the statement declares one. */
export function findSignature(statement: string): Signature | null {
  for (const head of HEADS) {
    let end = -1;
    for (const { 0: text, 1: name, index } of statement.matchAll(head)) {
      const from = index + text.length;
      // Searches again only after the last match, so that every character is scanned once.
      if (end < from) end = statement.indexOf(")", from);
      if (end < 0) break;
      if (end - from > PARAMETERS_CHARS) continue;
      return { name: name as string, parameters: splitParameters(statement.slice(from, end)) };
    }
  }
  for (const pattern of QUOTED) {
    const [, name, parameters] = pattern.exec(statement) ?? [];
    if (name === undefined || parameters === undefined) continue;
    return { name, parameters: splitParameters(parameters) };
  }
  return null;
}

function splitParameters(text: string): string[] {
  // Removes brackets first, because type annotations may contain commas.
  let flat = text;
  while (/\[[^[\]]*\]/.test(flat)) flat = flat.replace(/\[[^[\]]*\]/g, "");
  return flat
    .split(",")
    .map((part) => part.split(/[:=]/)[0]?.trim() ?? "")
    .filter((part) => part !== "" && part !== "self" && part !== "*" && part !== "/");
}

/**
 * Maximum length of an example line. Longer lines are not meant to be read; the limit also bounds the work of
 * the patterns.
 */
const EXAMPLE_LINE_CHARS = 2_000;

/** Test cases from asserts, doctests and `f(..) -> ..` lines. */
export function callExamples(statement: string, signature: Signature | null): TestCase[] {
  const lines = statement.split("\n").map((line) => (line.length > EXAMPLE_LINE_CHARS ? "" : line));
  return [...doctests(lines, signature), ...asserts(lines, signature), ...arrows(lines, signature)];
}

function simpleCall(text: string, expected: string, strict: boolean): TestCase | null {
  const [, name, inner] = new RegExp(`^(${NAME})\\((.*)\\)$`, "s").exec(text.trim()) ?? [];
  if (name === undefined || inner === undefined || NOT_FUNCTIONS.has(name)) return null;
  const args = parseLiterals(inner);
  const value = parseLiteral(expected);
  if (args === undefined || value === undefined) return null;
  return { kind: "call", function: name, args, expected: value, strict };
}

/** Names the function that a test is about, if the statement declares one. */
const functionField = (signature: Signature | null) => (signature === null ? {} : { function: signature.name });

function asserts(lines: readonly string[], signature: Signature | null): TestCase[] {
  return lines.flatMap((line): TestCase[] => {
    const code = line
      .trim()
      .replace(/^[-*]\s+/, "")
      .replace(/^`(.*)`$/, "$1");
    const [, condition] = /^assert\s+(\S.*)$/.exec(code) ?? [];
    if (condition === undefined || !/\w\s*\(/.test(condition)) return [];
    const at = condition.search(/==[^=]/);
    const right = at < 0 ? "" : withoutComment(condition.slice(at + 2).trimStart());
    const call = right === "" ? null : simpleCall(condition.slice(0, at), withoutMessage(right), true);
    return [call ?? { kind: "python-assert", code, ...functionField(signature) }];
  });
}

function withoutComment(text: string): string {
  const hash = text.indexOf("#", 1);
  return hash < 0 ? text : text.slice(0, hash).trimEnd();
}

/** Removes the assertion message: `[1, 2], "message"` gives `[1, 2]`. */
function withoutMessage(text: string): string {
  if (parseLiteral(text) !== undefined) return text;
  const values = parseLiterals(text);
  const message = /,\s*(?:"[^"]*"|'[^']*')\s*$/.exec(text);
  return values?.length === 2 && message ? text.slice(0, message.index) : text;
}

function doctests(lines: readonly string[], signature: Signature | null): TestCase[] {
  const tests: TestCase[] = [];
  for (let i = 0; i < lines.length; ) {
    if (!/^\s*>>> /.test(lines[i] as string)) {
      i++;
      continue;
    }
    const examples: { code: string; expected: string }[] = [];
    while (/^\s*>>> /.test(lines[i] ?? "")) {
      const indent = /^\s*/.exec(lines[i] as string)?.[0].length ?? 0;
      const cut = (line: string) => line.slice(indent);
      const code = [cut(lines[i++] as string).slice(4)];
      while (/^\s*\.\.\.(?: |$)/.test(lines[i] ?? "")) code.push(cut(lines[i++] as string).slice(4));
      const expected: string[] = [];
      while (i < lines.length && !/^\s*(?:>>> |```|~~~|"""|''')|^\s*$/.test(lines[i] as string))
        expected.push(cut(lines[i++] as string));
      examples.push({ code: code.join("\n"), expected: expected.join("\n") });
      while (lines[i]?.trim() === "" && /^\s*>>> /.test(lines[i + 1] ?? "")) i++;
    }
    const calls = examples.map(({ code, expected }) => simpleCall(code, expected, true));
    if (calls.every((call) => call !== null)) tests.push(...calls);
    else if (examples.some((e) => e.expected !== "") && !examples.some((e) => e.expected.startsWith("Traceback"))) {
      tests.push({ kind: "doctest", examples, ...functionField(signature) });
    }
  }
  return tests;
}

const ARROW =
  /(?<=\))\s*(?:;\s*)?(?:→|⇒|-+>|=+>|={2,3}|\breturns?\b|\bshould return\b|(?:\/\/|#)(?:\s*(?:→|-+>|=+>|returns?))?)/;

function arrows(lines: readonly string[], signature: Signature | null): TestCase[] {
  return lines.flatMap((line): TestCase[] => {
    if (/^\s*(?:>>>|assert\b|def\b|function\b)/.test(line)) return [];
    const text = line
      .trim()
      .replace(/^(?:[-*]|\d+[.)])\s+/, "")
      .replaceAll("`", "");
    const arrow = ARROW.exec(text);
    if (arrow === null) return [];
    const left = text.slice(0, arrow.index);
    const right = text.slice(arrow.index + arrow[0].length);
    const shown = /^(?:console\.log|print)\((.*)\)$/s.exec(left)?.[1] ?? left;
    const call = simpleCall(shown, right.replace(/[.;,]\s*$/, ""), false);
    if (call?.kind !== "call") return [];
    if (signature === null ? NOT_IN_PROSE.has(call.function) : call.function !== signature.name) return [];
    return [call];
  });
}

/**
 * Converts an input/output pair into a call if the function is known. The input is `nums = [2,7], target = 9`
 * or plain values. Returns null for an ordinary stdin/stdout pair, and "not-stdin" for a pair that belongs to
 * an unknown function and cannot be used.
 */
export function leetcodeCall(
  input: string,
  output: string,
  signature: Signature | null,
): TestCase | null | "not-stdin" {
  const named = namedArguments(input);
  if (signature === null) return named === null ? null : "not-stdin";
  const values = named ?? parseLiterals(input.replaceAll("\n", ", "))?.map((value) => ({ name: "", value }));
  if (!values || values.length !== signature.parameters.length) return named === null ? null : "not-stdin";
  const expected = parseLiteral(output);
  if (expected === undefined) return named === null ? null : "not-stdin";
  const ordered = signature.parameters.map((p, i) => values.find((v) => v.name === p) ?? values[i]);
  return {
    kind: "call",
    function: signature.name,
    args: ordered.map((v) => (v as { value: Value }).value),
    expected,
    strict: false,
  };
}

function namedArguments(input: string): { name: string; value: Value }[] | null {
  const pieces = input
    .split(new RegExp(`(?=[A-Za-z_$])(?<=(?:^|[,\\n])\\s*)(${NAME})\\s*=\\s*(?!=)`))
    .map((piece, i) => (i % 2 === 1 ? piece : piece.trimEnd().replace(/,$/, "")));
  if (pieces.length < 3 || pieces[0]?.trim() !== "") return null;
  const found: { name: string; value: Value }[] = [];
  for (let i = 1; i < pieces.length; i += 2) {
    const value = parseLiteral(pieces[i + 1] ?? "");
    if (value === undefined) return null;
    found.push({ name: pieces[i] as string, value });
  }
  return found;
}
