// Where comments and string statements (docstrings) lie in Python sources. Must not know how they are cut
// out.
import type { Cut } from "./cuts.ts";
import { isWordCode, wordEnd } from "./literals.ts";
import { StatementTracker } from "./python-statements.ts";
import { type PythonString, pythonStringAt, pythonStringStop } from "./python-strings.ts";

/** Names whose presence means that the program may read its own docstrings. */
const DOCSTRING_READERS = new Set(["__doc__", "doctest", "getdoc"]);

/** An f-string whose replacement field is being scanned as code. */
interface ReplacementField {
  string: PythonString;
  /** Brackets open around the f-string. */
  outerDepth: number;
}

class PythonScanner {
  private readonly source: string;
  private readonly comments: Cut[] = [];
  private readonly statements: StatementTracker;
  private readonly fields: ReplacementField[] = [];
  private depth = 0;
  private at = 0;
  private readsDocstrings = false;

  constructor(source: string) {
    this.source = source;
    this.statements = new StatementTracker(source);
  }

  run(): Cut[] {
    while (this.at < this.source.length) this.step();
    this.statements.endLine();
    const docstrings = this.readsDocstrings ? [] : this.statements.cuts();
    return [...this.comments, ...docstrings].sort((a, b) => a.start - b.start);
  }

  private step(): void {
    const { source, at } = this;
    const c = source[at] as string;
    if (c === " " || c === "\t" || c === "\f" || c === "\ufeff") this.at++;
    else if (c === "\n" || c === "\r") this.lineBreak();
    else if (c === "#") this.comment();
    else if (c === "\\") this.at += source.startsWith("\r\n", at + 1) ? 3 : 2;
    else if (c === '"' || c === "'" || isWordCode(source.charCodeAt(at))) this.wordOrString();
    else this.punctuator(c);
  }

  private lineBreak(): void {
    if (this.nesting === 0) this.statements.endLine();
    this.at++;
  }

  private comment(): void {
    const ends = /[\n\r]/g;
    ends.lastIndex = this.at;
    const end = ends.exec(this.source)?.index ?? this.source.length;
    this.comments.push({ start: this.at, end, replacement: "" });
    this.at = end;
  }

  private wordOrString(): void {
    const { source, at } = this;
    const string = pythonStringAt(source, at);
    if (string?.formatted) this.formattedString(string);
    else if (string) this.plainString(string);
    else this.word(wordEnd(source, at));
  }

  private word(end: number): void {
    const word = this.source.slice(this.at, end);
    if (DOCSTRING_READERS.has(word)) this.readsDocstrings = true;
    this.statements.word(this.at, word, this.nesting);
    this.at = end;
  }

  private formattedString(string: PythonString): void {
    this.statements.other(this.at);
    this.formattedText(string, this.at + string.open, false);
  }

  private plainString(string: PythonString): void {
    const start = this.at;
    const stop = pythonStringStop(this.source, start + string.open, string, false);
    this.at = stop.position;
    this.statements.string(start, stop.position, string, stop.kind === "end");
  }

  /**
   * Walks an f-string's text; a replacement field puts the scanner back into code until its brace
   * closes.
   */
  private formattedText(string: PythonString, from: number, inFormat: boolean): void {
    let stop = pythonStringStop(this.source, from, string, inFormat);
    while (stop.kind === "field_end") {
      this.leaveField();
      stop = pythonStringStop(this.source, stop.position, string, this.isInField(string));
    }
    this.at = stop.position;
    if (stop.kind === "field") {
      this.fields.push({ string, outerDepth: this.depth });
      this.depth = 0;
    } else {
      while (this.isInField(string)) this.leaveField();
    }
  }

  private leaveField(): void {
    this.depth = this.fields.pop()?.outerDepth ?? 0;
  }

  /** A field within a field of the same string lies in the outer one's format part. */
  private isInField(string: PythonString): boolean {
    return this.fields.at(-1)?.string === string;
  }

  private punctuator(c: string): void {
    const start = this.at++;
    const field = this.fields.at(-1);
    if (field && this.depth === 0 && c === "}") {
      this.leaveField();
      this.formattedText(field.string, this.at, this.isInField(field.string));
    } else if (field && this.depth === 0 && c === ":") this.formattedText(field.string, this.at, true);
    else this.codePunctuator(start, c);
  }

  private codePunctuator(start: number, c: string): void {
    const isWalrus = c === ":" && this.source[this.at] === "=";
    if (isWalrus) this.at++;
    this.statements.punctuator(start, isWalrus ? ":=" : c, this.nesting);
    if ("([{".includes(c)) this.depth++;
    else if (")]}".includes(c)) this.depth = Math.max(0, this.depth - 1);
  }

  /** 0 only outside all brackets and replacement fields. */
  private get nesting(): number {
    return this.depth + this.fields.length;
  }
}

/**
 * Comments and string statements of a Python source, in order. String statements stay when the
 * program names `__doc__`,
 * `doctest` or `getdoc`, when they would not compile, or when taking them out could change whether
 * the program compiles; where a statement must remain, the cut leaves `""`.
 */
export function pythonCuts(source: string): Cut[] {
  return new PythonScanner(source).run();
}
