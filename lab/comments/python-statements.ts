// Decides which Python statements consist of strings only, and which of them can go. Must not know how tokens
// are found.
import type { Cut } from "./cuts.ts";
import { type PythonString, surelyCompiles } from "./python-strings.ts";

/**
 * Words that open a compound statement, whose colon may be followed by statements. (`match` and
 * `case` may also be names.)
 */
const COMPOUND = new Set("def class if elif else for while try except finally with async".split(" "));

interface StatementSpan {
  start: number;
  end: number;
}

/**
 * One logical line: its indentation in columns, its string statements, and whether it holds
 * anything else.
 */
interface LogicalLine {
  indent: number;
  strings: StatementSpan[];
  holdsOther: boolean;
}

/**
 * The statement being read: opening parentheses, then strings, then closing ones; anything else
 * makes it `other`.
 */
interface Statement extends StatementSpan {
  phase: "empty" | "opens" | "strings" | "closes" | "other";
  open: number;
  bytes: boolean;
}

const emptyStatement = (): Statement => ({ start: -1, end: -1, phase: "empty", open: 0, bytes: false });

/** Columns as Python counts them: a tab leads to the next multiple of 8. */
function indentBefore(source: string, token: number): number {
  let start = token;
  while (start > 0 && source[start - 1] !== "\n" && source[start - 1] !== "\r") start--;
  let columns = 0;
  for (let at = start; at < token; at++) {
    if (source[at] === "\f") columns = 0;
    else columns = source[at] === "\t" ? (Math.floor(columns / 8) + 1) * 8 : columns + 1;
  }
  return columns;
}

/** Follows the tokens of a source from statement to statement. */
export class StatementTracker {
  private readonly source: string;
  private readonly lines: LogicalLine[] = [];
  private line: LogicalLine | null = null;
  private statement = emptyStatement();
  /** In the head of a compound statement: how many lambdas still wait for their colon; else -1. */
  private lambdas = -1;

  constructor(source: string) {
    this.source = source;
  }

  word(start: number, word: string, nesting: number): void {
    if (this.line === null && COMPOUND.has(word)) this.lambdas = 0;
    else if (word === "lambda" && nesting === 0 && this.lambdas >= 0) this.lambdas++;
    this.other(start);
  }

  string(start: number, end: number, string: PythonString, isClosed: boolean): void {
    const { phase, bytes } = this.statement;
    const follows = phase === "empty" || phase === "opens" || (phase === "strings" && bytes === string.bytes);
    if (follows && isClosed && surelyCompiles(this.source.slice(start, end), string)) {
      this.touch(start, "strings", end);
      this.statement.bytes = string.bytes;
    } else this.other(start);
  }

  punctuator(start: number, c: string, nesting: number): void {
    const { phase, open } = this.statement;
    if (c === ";" && nesting === 0) this.endStatement(start);
    else if (c === ":" && nesting === 0 && this.lambdas >= 0) this.colon(start);
    else if (c === "(" && (phase === "empty" || phase === "opens")) {
      this.touch(start, "opens", start + 1);
      this.statement.open++;
    } else if (c === ")" && open > 0 && (phase === "strings" || phase === "closes")) {
      this.touch(start, "closes", start + 1);
      this.statement.open--;
    } else this.other(start);
  }

  /** Any token outside a string statement. */
  other(start: number): void {
    this.touch(start, "other", start);
  }

  /** A logical line's end. */
  endLine(): void {
    if (this.line === null) return;
    this.endStatement(this.source.length);
    this.lines.push(this.line);
    this.line = null;
    this.lambdas = -1;
  }

  private touch(start: number, phase: Statement["phase"], end: number): void {
    this.line ??= { indent: indentBefore(this.source, start), strings: [], holdsOther: false };
    if (this.statement.start < 0) this.statement.start = start;
    this.statement.phase = phase;
    this.statement.end = end;
  }

  /** In a head, a colon belongs to the innermost open lambda, else it ends the head. */
  private colon(start: number): void {
    this.lambdas--;
    this.other(start);
    if (this.lambdas < 0) this.endStatement(start);
  }

  private endStatement(at: number): void {
    const { phase, open, start, end } = this.statement;
    this.line ??= { indent: indentBefore(this.source, at), strings: [], holdsOther: false };
    if ((phase === "strings" || phase === "closes") && open === 0) this.line.strings.push({ start, end });
    else if (phase !== "empty") this.line.holdsOther = true;
    this.statement = emptyStatement();
  }

  /** Cuts for all string statements: gone where the block stays a block without them, else `""`. */
  cuts(): Cut[] {
    const droppable = droppableLines(this.lines);
    return this.lines.flatMap((line, i) => {
      const replacement = droppable[i] ? "" : '""';
      return line.strings.map(({ start, end }): Cut => ({ start, end, replacement }));
    });
  }
}

const isStringOnly = (line: LogicalLine): boolean => !line.holdsOther && line.strings.length === 1;

/**
 * For each line, the indent of the next line that holds more than one string statement; -1 behind
 * the last one.
 */
function nextKeptIndents(lines: readonly LogicalLine[]): number[] {
  const indents = new Array<number>(lines.length).fill(-1);
  for (let i = lines.length - 2; i >= 0; i--) {
    const next = lines[i + 1] as LogicalLine;
    indents[i] =
      isStringOnly(next) && next.indent >= (lines[i] as LogicalLine).indent ? (indents[i + 1] as number) : next.indent;
  }
  return indents;
}

/**
 * Which lines may go. A line stays when it is the only content of its block, or when its
 * indentation is itself an error that would vanish with it: a broken program must stay broken.
 */
function droppableLines(lines: readonly LogicalLine[]): boolean[] {
  const nextKept = nextKeptIndents(lines);
  const levels: number[] = [0];
  return lines.map((line, i) => {
    const previous = lines[i - 1];
    while ((levels.at(-1) as number) > line.indent) levels.pop();
    const opensBlock = (levels.at(-1) as number) < line.indent;
    if (opensBlock) levels.push(line.indent);
    if (!isStringOnly(line) || (lines[i + 1]?.indent ?? 0) > line.indent) return false;
    if (!opensBlock) return true;
    const isFirstOfBlock = previous?.holdsOther === true && previous.indent < line.indent;
    return isFirstOfBlock && (nextKept[i] as number) >= line.indent;
  });
}
