// Where comments lie in C, C++, Java, Go, Rust, C# and Kotlin sources. Must not know how they are cut out.
import type { Cut } from "./cuts.ts";
import { afterJoinedLines, isWordCode, type Literal, literalStop, quoted, wordEnd } from "./literals.ts";

/** The differences between the brace languages. */
export interface CommentDialect {
  nestedBlocks: boolean;
  /** A backslash at a line's end joins the next line to it, also in a comment (C, C++). */
  splicesLines: boolean;
  /** A lone CR ends a line. */
  crEndsLine: boolean;
  /** Interpolation holes know a format part after `:` (C#). */
  formatInHoles: boolean;
  /** A quote between digits is a separator (C, C++). */
  quotesInNumbers: boolean;
  /** A first line `#!..` is a comment (Rust, Kotlin scripts). */
  hashbang: boolean;
  /** The literal that opens at `at`, if any. `at` is never inside a word. */
  literalAt(source: string, at: number): Literal | null;
  /** A line comment that the compiler obeys. */
  isDirective(comment: string): boolean;
}

interface Hole {
  literal: Literal;
  /** Brackets open since the hole began. */
  depth: number;
}

/** Compilers splice over blanks between the backslash and the line end, too. */
function endsInBackslash(source: string, lineEnd: number): boolean {
  let last = lineEnd - 1;
  while (source[last] === " " || source[last] === "\t") last--;
  return source[last] === "\\";
}

/** End of a line comment: the first line end that counts. */
function lineCommentEnd(source: string, start: number, crEndsLine: boolean, splices: boolean): number {
  const lineEnds = crEndsLine ? /[\n\r]/g : /\r?\n/g;
  lineEnds.lastIndex = start;
  for (let found = lineEnds.exec(source); found; found = lineEnds.exec(source)) {
    if (!splices || !endsInBackslash(source, found.index)) return found.index;
  }
  return source.length;
}

/**
 * End of the block comment at `start`, or -1 when it is never closed (then the program is broken
 * and stays as it is).
 */
export function blockCommentEnd(source: string, start: number, nested: boolean): number {
  if (!nested) {
    const close = source.indexOf("*/", start + 2);
    return close < 0 ? -1 : close + 2;
  }
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(source); mark; mark = marks.exec(source)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return -1;
}

/**
 * Where the comment's second mark stands that the slash at `at` opens, over joined lines; -1 when
 * it opens none.
 */
function commentMark(source: string, at: number, splices: boolean): number {
  let mark = at + 1;
  for (let next = mark; splices && next >= 0; next = afterJoinedLines(source, mark)) mark = next;
  return source[mark] === "/" || source[mark] === "*" ? mark : -1;
}

/**
 * End of a block comment whose text starts at `from`, where the marks of its end may be on lines
 * that are joined; or -1.
 */
function splicedCommentEnd(source: string, from: number): number {
  const close = /\*(?:\\[ \t]*\r?\n)*\//g;
  close.lastIndex = from;
  return close.test(source) ? close.lastIndex : -1;
}

/** The cut for a first line `#!..`, if there is one. Rust's `#![attribute]` is code. */
export function hashbangCuts(source: string): Cut[] {
  const isHashbang = /^#!(?!\s*\[)/.test(source);
  return isHashbang ? [{ start: 0, end: lineCommentEnd(source, 0, true, false), replacement: "" }] : [];
}

/** A number's end where quotes may separate its digits. */
function numberEnd(source: string, start: number): number {
  let end = wordEnd(source, start);
  while (source[end] === "'" && end + 1 < source.length && isWordCode(source.charCodeAt(end + 1))) {
    end = wordEnd(source, end + 1);
  }
  return end;
}

/** Where the format part of a C# hole, which starts at a `:`, ends. */
function formatEnd(source: string, start: number): number {
  let end = start;
  while (end < source.length && !'}"\n\r'.includes(source[end] as string)) end++;
  return end;
}

class BraceScanner {
  readonly cuts: Cut[];
  private readonly source: string;
  private readonly dialect: CommentDialect;
  private readonly holes: Hole[] = [];
  private at: number;

  constructor(source: string, dialect: CommentDialect) {
    this.source = source;
    this.dialect = dialect;
    this.cuts = dialect.hashbang ? hashbangCuts(source) : [];
    this.at = this.cuts.at(-1)?.end ?? 0;
  }

  run(): Cut[] {
    while (this.at < this.source.length) this.step();
    return this.cuts;
  }

  private step(): void {
    const { source, dialect, at } = this;
    const c = source[at] as string;
    const mark = c === "/" ? commentMark(source, at, dialect.splicesLines) : -1;
    const literal = mark >= 0 ? null : dialect.literalAt(source, at);
    if (mark >= 0) this.comment(mark);
    else if (literal) this.text(literal, at + literal.open);
    else if (dialect.quotesInNumbers && c >= "0" && c <= "9") this.at = numberEnd(source, at);
    else if (isWordCode(source.charCodeAt(at))) this.at = wordEnd(source, at);
    else this.punctuator(c);
  }

  private comment(mark: number): void {
    const { source, dialect, at } = this;
    const isLine = source[mark] === "/";
    const end = isLine
      ? lineCommentEnd(source, at, dialect.crEndsLine, dialect.splicesLines)
      : dialect.splicesLines
        ? splicedCommentEnd(source, mark + 1)
        : blockCommentEnd(source, at, dialect.nestedBlocks);
    if (end >= 0 && !(isLine && dialect.isDirective(source.slice(at, end)))) {
      this.cuts.push({ start: at, end, replacement: "" });
    }
    this.at = end < 0 ? source.length : end;
  }

  /**
   * Walks a literal's text; an interpolation hole puts the scanner back into code until its brace
   * closes.
   */
  private text(literal: Literal, from: number): void {
    const stop = literalStop(this.source, from, literal);
    this.at = stop.position;
    if (stop.inHole) this.holes.push({ literal, depth: 0 });
  }

  /** Outside of holes punctuation means nothing here; within one it shows where the hole ends. */
  private punctuator(c: string): void {
    this.at++;
    const hole = this.holes.at(-1);
    if (!hole) return;
    if ("([{".includes(c)) hole.depth++;
    else if (c === "}" && hole.depth === 0) {
      this.holes.pop();
      this.text(hole.literal, this.at);
    } else if (")]}".includes(c)) hole.depth = Math.max(0, hole.depth - 1);
    else if (c === ":" && hole.depth === 0 && this.dialect.formatInHoles) this.at = formatEnd(this.source, this.at);
  }
}

/**
 * Comment spans of a brace-language source, in order. Directives the compiler obeys and unclosed
 * comments are none.
 */
export function braceCuts(source: string, dialect: CommentDialect): Cut[] {
  return new BraceScanner(source, dialect).run();
}

export const plainQuotes = (source: string, at: number): Literal | null =>
  source[at] === '"' ? quoted('"') : source[at] === "'" ? quoted("'") : null;
