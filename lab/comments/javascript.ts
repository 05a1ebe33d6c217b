// Where comments lie in JavaScript and TypeScript sources, telling regular expressions from divisions. Must
// not know how they are cut out.
import { blockCommentEnd, hashbangCuts } from "./braces.ts";
import type { Cut } from "./cuts.ts";
import { isWordCode, type Literal, literalStop, quoted } from "./literals.ts";

/** Words behind which an expression starts, so that a slash opens a regular expression. */
const BEFORE_EXPRESSION = new Set(
  "return typeof instanceof in of new delete void throw case do else yield await extends default".split(" "),
);
/** Words whose parenthesis is a head, behind which a statement starts. */
const HEADS = new Set(["if", "while", "for", "with"]);

const TEMPLATE = quoted("`", { multiline: true, hole: "${" });
const STRINGS: Readonly<Record<string, Literal>> = { '"': quoted('"'), "'": quoted("'"), "`": TEMPLATE };

/**
 * An open bracket: what follows its close, an operator (the bracket held a value) or the start of
 * an expression?
 */
interface OpenBracket {
  open: "(" | "[" | "{" | "${";
  isValue: boolean;
}

const isNameCode = (code: number): boolean => isWordCode(code) || code === 36 || code === 35;

function nameEnd(source: string, start: number): number {
  let end = start;
  while (end < source.length && isNameCode(source.charCodeAt(end))) end++;
  return end;
}

/** The blanks of the language: a slash behind one divides as it would without. */
const BLANK = /[\t\v\f \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff]/;

const isLineEnd = (c: string | undefined): boolean => c === "\n" || c === "\r" || c === "\u2028" || c === "\u2029";

function lineEnd(source: string, start: number): number {
  const ends = /[\n\r\u2028\u2029]/g;
  ends.lastIndex = start;
  return ends.exec(source)?.index ?? source.length;
}

/**
 * Finds where regular expression literals end. A slash whose line has no end for it is found out by
 * reading the whole line, so after the first such slash every place of the line is worked out at
 * once: a line of many stays linear.
 */
class RegexEnds {
  private readonly source: string;
  private known: { from: number; to: number; ends: Int32Array } | null = null;

  constructor(source: string) {
    this.source = source;
  }

  /**
   * Behind the body that the slash at `start` opens, or -1 when the line ends first (then the slash
   * opens none).
   */
  after(start: number): number {
    const { known } = this;
    if (known !== null && start >= known.from && start < known.to) return known.ends[start + 1 - known.from] as number;
    const end = this.read(start + 1);
    if (end < 0) this.learn(start);
    return end;
  }

  private read(from: number): number {
    let inClass = false;
    for (let at = from; at < this.source.length; at++) {
      const c = this.source[at];
      if (c === "\\") at++;
      if (isLineEnd(this.source[at])) return -1;
      if (c === "[") inClass = true;
      else if (c === "]") inClass = false;
      else if (c === "/" && !inClass) return at + 1;
    }
    return -1;
  }

  /**
   * From right to left: the end for a body that goes on at a place, outside and inside of a class.
   */
  private learn(from: number): void {
    const { source } = this;
    const to = lineEnd(source, from);
    const outside = new Int32Array(to - from + 2).fill(-1);
    const inside = new Int32Array(to - from + 2).fill(-1);
    for (let i = to - from - 1; i >= 0; i--) {
      const c = source[from + i];
      const next = c === "\\" ? i + 2 : i + 1;
      inside[i] = (c === "]" ? outside : inside)[next] as number;
      outside[i] = c === "/" ? from + i + 1 : ((c === "[" ? inside : outside)[next] as number);
    }
    this.known = { from, to, ends: outside };
  }
}

class JavaScriptScanner {
  readonly cuts: Cut[];
  private readonly source: string;
  private readonly brackets: OpenBracket[] = [];
  private at: number;
  /** The previous token ended a value, so a slash divides. */
  private afterValue = false;
  /** The previous token: a word, or one punctuator (`=>` and `...` whole). */
  private previous = "";
  private newLine = false;
  private isModule: boolean;
  private readonly regexEnds: RegexEnds;

  constructor(source: string, isModule: boolean) {
    this.source = source;
    this.isModule = isModule;
    this.regexEnds = new RegexEnds(source);
    this.cuts = hashbangCuts(source);
    this.at = this.cuts.at(-1)?.end ?? 0;
  }

  run(): Cut[] {
    while (this.at < this.source.length) this.step();
    return this.cuts;
  }

  private step(): void {
    const { source, at } = this;
    const c = source[at] as string;
    const literal = Object.hasOwn(STRINGS, c) ? STRINGS[c] : undefined;
    if (BLANK.test(c)) this.at++;
    else if (isLineEnd(c)) this.lineBreak();
    else if (c === "/") this.slash();
    else if (this.opensHtmlComment(c)) this.comment(true);
    else if (literal) this.text(literal, at + 1);
    else if (isNameCode(source.charCodeAt(at)) || c === "\\") this.word();
    else this.punctuator(c);
  }

  private lineBreak(): void {
    this.newLine = true;
    this.at++;
  }

  private token(end: number, previous: string, afterValue: boolean): void {
    this.at = end;
    this.previous = previous;
    this.afterValue = afterValue;
    this.newLine = false;
  }

  private slash(): void {
    const { source, at } = this;
    const next = source[at + 1];
    const isComment = next === "/" || next === "*";
    const end = isComment || this.afterValue ? -1 : this.regexEnds.after(at);
    if (isComment) this.comment(next === "/");
    else if (end < 0) this.token(at + 1, "/", false);
    else this.token(nameEnd(source, end), "/regex/", true);
  }

  private comment(isLine: boolean): void {
    const { source, at } = this;
    const end = isLine ? lineEnd(source, at) : blockCommentEnd(source, at, false);
    if (end >= 0) this.cuts.push({ start: at, end, replacement: "" });
    this.at = end < 0 ? source.length : end;
    if (!isLine && /[\n\r\u2028\u2029]/.test(source.slice(at, this.at))) this.newLine = true;
  }

  /**
   * In scripts `<!--` and, first on a line, `-->` comment the rest of the line out. Modules know
   * neither: there the first is a comparison behind a value and an error elsewhere, the second
   * always an error.
   */
  private opensHtmlComment(c: string): boolean {
    const { source, at } = this;
    if (c === "<") return !(this.isModule && this.afterValue) && source.startsWith("<!--", at);
    return c === "-" && (this.newLine || this.previous === "") && source.startsWith("-->", at);
  }

  private text(literal: Literal, from: number): void {
    const stop = literalStop(this.source, from, literal);
    if (stop.inHole) this.brackets.push({ open: "${", isValue: true });
    this.token(stop.position, stop.inHole ? "${" : "text", !stop.inHole);
  }

  private word(): void {
    const { source, at } = this;
    const end = Math.max(at + 1, nameEnd(source, at));
    const word = source.slice(at, end);
    const isProperty = this.previous === "." || this.previous === "?.";
    if (this.opensModuleItem(word, end)) this.isModule = true;
    this.token(end, isProperty ? "property" : word, isProperty || !BEFORE_EXPRESSION.has(word));
  }

  /**
   * `import` and `export` declarations, which only modules have; `import(` and `import.meta` are
   * expressions.
   */
  private opensModuleItem(word: string, end: number): boolean {
    if ((word !== "import" && word !== "export") || this.brackets.length > 0) return false;
    const opensStatement = this.newLine || ["", ";", "}"].includes(this.previous);
    return opensStatement && !/^\s*[(.]/.test(this.source.slice(end, end + 16));
  }

  private punctuator(c: string): void {
    const { source, at } = this;
    if (c === "(" || c === "[" || c === "{") this.open(c);
    else if (c === ")" || c === "]" || c === "}") this.close(c);
    else if (source.startsWith("...", at)) this.token(at + 3, "...", false);
    else if (source.startsWith("=>", at)) this.token(at + 2, "=>", false);
    else if (source.startsWith("?.", at)) this.token(at + 2, "?.", true);
    else if (c === ".") this.token(at + 1, ".", true);
    else if (source.startsWith("++", at) || source.startsWith("--", at)) this.token(at + 2, c, this.afterValue);
    // TypeScript's `value!`: only on the value's own line, else it negates what follows.
    else if (c === "!" && this.afterValue && !this.newLine && source[at + 1] !== "=") this.token(at + 1, "!", true);
    else this.token(at + 1, c, false);
  }

  private open(c: "(" | "[" | "{"): void {
    const isValue = c === "(" ? !HEADS.has(this.previous) : c === "[" || this.opensObject();
    this.brackets.push({ open: c, isValue });
    this.token(this.at + 1, c, false);
  }

  /** A brace where an expression is expected is an object; elsewhere it is a block or a body. */
  private opensObject(): boolean {
    if (this.afterValue || ["", ";", "{", "}", ")", "=>", "else", "do"].includes(this.previous)) return false;
    const outer = this.brackets.at(-1);
    return this.previous !== ":" || outer?.isValue === true;
  }

  private close(c: string): void {
    const bracket = this.brackets.pop();
    if (c === "}" && bracket?.open === "${") this.text(TEMPLATE, this.at + 1);
    else this.token(this.at + 1, c, bracket?.isValue ?? c !== "}");
  }
}

/**
 * Comment spans of a JavaScript or TypeScript source (no JSX), in order. An unclosed comment is
 * none.
 * @param isModule whether it is surely a module; else an `import` or `export` declaration shows it
 */
export function javascriptCuts(source: string, isModule: boolean): Cut[] {
  return new JavaScriptScanner(source, isModule).run();
}
