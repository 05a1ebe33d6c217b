// Recognises programs without an opening fence by how they begin: completions that continue a fence opened by
// their prompt, and answers that consist only of code.
import { canonicalLanguage } from "./languages.ts";

/** Comments, decorators, docstrings, directives. */
const MARKED = /^(?:#|\/\/|\/\*|--\s|@\w|r?"""|'''|<\?php\b|"use strict"|'use strict')/;
const IMPORTS =
  /^(?:import|use|using|package|library|require)\s+\S+\s*(?:$|[;,({#/*]|as\s|from\s)|^from\s+\S+\s+import\b/;
const DEFINES = /^(?:async\s+)?(?:def|class)\s+\w+\s*[(:{]/;
/** Words that begin a line ending with a colon. */
const BLOCK = /^(?:async|if|for|while|with|try|match)\b/;
/** Words that begin a line containing one of `({;=<`. */
const DECLARES =
  /^(?:if|for|while|switch|public|private|protected|static|final|abstract|export|async|function|fn|func|fun|struct|enum|interface|trait|impl|type|const|let|var|val|auto|int|long|double|float|char|bool|string|void|unsigned|template|typedef)\b/;
const CALLS = /^(?:await\s+)?[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\(/;

/** Number of characters of the first line that are checked. */
const LINE_CHARS = 500;

/** Whether the part before an equals sign looks like names and not like prose. */
function assigns(line: string): boolean {
  const names = line.slice(0, Math.max(0, line.indexOf("=")));
  return /^[[(*\w$]/.test(names) && !/[^\w$.,[\]()*:'" \t+/%&|^<>-]|\w[ \t]+\w/.test(names);
}

/** Whether the input begins like a program and not like prose. */
function beginsAsCode(text: string): boolean {
  const [line = ""] = text.trimStart().slice(0, LINE_CHARS).split(/\r?\n/, 1);
  if ([MARKED, IMPORTS, DEFINES, CALLS].some((opening) => opening.test(line)) || assigns(line)) return true;
  return (BLOCK.test(line) && line.trimEnd().endsWith(":")) || (DECLARES.test(line) && /[({;=<]/.test(line));
}

/** Splits off a first line that consists only of a language's name, as after an opening fence. */
function behindTag(text: string): { tag: string; code: string } {
  const found = /^\s{0,16}([\w+#.-]{1,20})[ \t]*\r?\n/.exec(text);
  const tag = found?.[1] ?? "";
  const language = canonicalLanguage(tag);
  if (found === null || language === null || language === "text") return { tag: "", code: text };
  return { tag, code: text.slice(found[0].length) };
}

/** Triple quotes and fences. A fence inside a triple-quoted string belongs to the program. */
const QUOTES = /"""|'''|```+/g;

/** Text that may follow a closing fence: nothing, punctuation or a chat token, but not a language. */
const CLOSED = /^(?:[ \t]*$|[ \t]*<[/|\w\uff5c]|[ \t]*[.,;:!?)*\]])/;

/** Index of the first fence outside the program's strings; -1 if there is none. */
function firstFence(text: string): number {
  let inside = "";
  for (const { 0: mark, index } of text.matchAll(QUOTES)) {
    if (mark.startsWith("`")) {
      if (inside === "") return index;
    } else if (inside === "") inside = mark;
    else if (inside === mark) inside = "";
  }
  return -1;
}

/**
 * Restores an opening fence that was part of the prompt, if the text begins as code and its first fence is a
 * closing one. Returns null for any other text.
 * @param language the group's language, used as the fence's tag
 */
export function withOpenedFence(text: string, language: string | null): string | null {
  const { tag, code } = behindTag(text);
  const at = firstFence(code);
  if (at < 0 || !beginsAsCode(code)) return null;
  const end = code.indexOf("\n", at);
  const behind = code.slice(at, end < 0 ? undefined : end).replace(/^`+/, "");
  const info = tag || canonicalLanguage(language ?? "") || "";
  return CLOSED.test(behind.trimEnd()) ? `\`\`\`${info}\n${code}` : null;
}

const TAGGED = /^\s*<(answer|solution|code|program)>([\s\S]*?)(?:<\/\1>\s*)?$/;

/**
 * Returns the code of an answer that consists of code without a fence, with or without answer tags. Returns
 * null for any other answer.
 */
export function plainCode(text: string): string | null {
  const { code } = behindTag(TAGGED.exec(text)?.[2] ?? text);
  const start = code.lastIndexOf("\n", code.length - code.trimStart().length) + 1;
  return firstFence(code) < 0 && beginsAsCode(code) ? code.slice(start) : null;
}
