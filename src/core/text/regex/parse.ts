// Parses RE2 syntax with the semantics of Python's `re` for str: where the two differ, Python's meaning
// applies. Independent of the search.
import { anyOf, type Characters, inRanges, MOST, PERL, POSIX, property, type Ranges, without } from "./characters.ts";

/** Zero-width assertions. `last_line_end` matches at the end, and before a line feed at the end. */
export type Place =
  | "text_start"
  | "text_end"
  | "last_line_end"
  | "line_start"
  | "line_end"
  | "word_edge"
  | "no_word_edge";

/**
 * The syntax tree of an expression. `max` is null for an unbounded repetition. Greediness is not recorded,
 * because it affects only which match is found, not whether there is one.
 */
export type Regex =
  | { readonly is: "one"; readonly characters: Characters }
  | { readonly is: "place"; readonly place: Place }
  | { readonly is: "sequence"; readonly parts: readonly Regex[] }
  | { readonly is: "either"; readonly parts: readonly Regex[] }
  | { readonly is: "repeat"; readonly operand: Regex; readonly min: number; readonly max: number | null };

/** A syntax error, with the part of the expression that causes it. */
export class RegexSyntaxError extends Error {
  constructor(what: string, part: string) {
    super(`${what}: \`${part}\``);
  }
}

/** RE2's limit for a counted repetition. */
const REPEAT_MOST = 1000;

const COUNT = /\{(?!\})(\d*)(?:(,)(\d*))?\}/y;
const GROUP_NAME = /P?<([^>]*)>/y;
const FLAGS = /([imsU]*)(?:-([imsU]+))?([:)])/y;
const PROPERTY = /[pP](?:\{(\^?)([^}]*)\}|(.))/uy;
const CODE_POINT = /x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})/y;
const OCTAL = /0[0-7]{0,2}|[1-7][0-7]{1,2}/y;
const CLASS_NAME = /\[:(\^?)(.*?):\]/sy;
const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const PLACES: Readonly<Record<string, Place>> = {
  A: "text_start",
  Z: "text_end",
  z: "text_end",
  b: "word_edge",
  B: "no_word_edge",
};

interface Flags {
  fold: boolean;
  /** Whether `^` and `$` match at line boundaries. */
  lines: boolean;
  /** Whether `.` also matches a line feed. */
  dotAll: boolean;
}

class RegexParser {
  readonly #text: string;
  #at = 0;
  #flags: Flags = { fold: false, lines: false, dotAll: false };
  readonly #names = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Regex {
    const regex = this.#either();
    if (this.#at < this.#text.length) throw new RegexSyntaxError("unexpected )", this.#text.slice(this.#at));
    return regex;
  }

  #matched(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at += found[0].length;
    return found;
  }

  #took(text: string): boolean {
    const there = this.#text.startsWith(text, this.#at);
    if (there) this.#at += text.length;
    return there;
  }

  /** Consumes and returns the next character. */
  #next(): number {
    const codePoint = this.#text.codePointAt(this.#at) as number;
    this.#at += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  #either(): Regex {
    const parts = [this.#sequence()];
    while (this.#took("|")) parts.push(this.#sequence());
    if (parts.length === 1) return parts[0] as Regex;
    const sets = parts.map((part) => (part.is === "one" ? part.characters : null));
    return sets.every((set) => set !== null) ? { is: "one", characters: anyOf(sets) } : { is: "either", parts };
  }

  #sequence(): Regex {
    const parts: Regex[] = [];
    let repeatedAt = -1;
    while (this.#at < this.#text.length && !/[|)]/.test(this.#text[this.#at] as string)) {
      const at = this.#at;
      const times = this.#times();
      if (times === null) {
        parts.push(...this.#atom());
        continue;
      }
      const repeated = parts.pop();
      const part = this.#text.slice(at, this.#at);
      if (repeated === undefined) throw new RegexSyntaxError("missing argument to repetition operator", part);
      if (repeatedAt === at) throw new RegexSyntaxError("invalid nested repetition operator", part);
      parts.push({ is: "repeat", operand: repeated, ...times });
      repeatedAt = this.#at;
    }
    return parts.length === 1 ? (parts[0] as Regex) : { is: "sequence", parts };
  }

  /** Parses a repetition operator; returns null if there is none. */
  #times(): { min: number; max: number | null } | null {
    const times = this.#took("*")
      ? { min: 0, max: null }
      : this.#took("+")
        ? { min: 1, max: null }
        : this.#took("?")
          ? { min: 0, max: 1 }
          : this.#counted();
    if (times !== null) this.#took("?");
    return times;
  }

  #counted(): { min: number; max: number | null } | null {
    const [part, from, comma, to] = this.#matched(COUNT) ?? [];
    if (part === undefined) return null;
    const min = Number(from);
    const max = comma === undefined ? min : to === "" ? null : Number(to);
    if (Math.max(min, max ?? 0) > REPEAT_MOST || (max !== null && max < min)) {
      throw new RegexSyntaxError("invalid repeat count", part);
    }
    return { min, max };
  }

  /**
   * Parses one atom. Returns no tree for flags and empty quotations, one per character for quotations, else
   * one tree.
   */
  #atom(): Regex[] {
    if (this.#took("(")) return this.#group();
    if (this.#took("[")) return [{ is: "one", characters: this.#class() }];
    if (this.#took("\\Q")) return this.#quotation();
    if (this.#text[this.#at] === "\\") return [this.#escape()];
    const { lines, dotAll } = this.#flags;
    if (this.#took("^")) return [{ is: "place", place: lines ? "line_start" : "text_start" }];
    if (this.#took("$")) return [{ is: "place", place: lines ? "line_end" : "last_line_end" }];
    if (this.#took(".")) {
      const all: Ranges = [[0, MOST]];
      return [{ is: "one", characters: dotAll ? inRanges(all, false) : without(inRanges([[10, 10]], false)) }];
    }
    return [this.#literal(this.#next())];
  }

  #literal(codePoint: number): Regex {
    return { is: "one", characters: inRanges([[codePoint, codePoint]], this.#flags.fold) };
  }

  #quotation(): Regex[] {
    const end = this.#text.indexOf("\\E", this.#at);
    const quoted = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 2;
    return Array.from(quoted, (character) => this.#literal(character.codePointAt(0) as number));
  }

  #group(): Regex[] {
    const opened = this.#at - 1;
    const before = this.#flags;
    if (this.#took("?")) {
      if (/^P?<(?![=!])/.test(this.#text.slice(this.#at))) this.#groupName(opened);
      else {
        const [, on, off, end] = this.#matched(FLAGS) ?? [];
        if (on === undefined) throw this.#unsupported(opened);
        const set = (flag: string, was: boolean) => (off?.includes(flag) ? false : on.includes(flag) || was);
        const { fold, lines, dotAll } = before;
        this.#flags = { fold: set("i", fold), lines: set("m", lines), dotAll: set("s", dotAll) };
        if (end === ")") return [];
      }
    }
    const regex = this.#either();
    if (!this.#took(")")) throw new RegexSyntaxError("missing closing )", this.#text);
    this.#flags = before;
    // Returns a single tree, so that a repetition operator that follows applies to the whole group.
    return [regex];
  }

  #unsupported(from: number): RegexSyntaxError {
    return new RegexSyntaxError("invalid or unsupported Perl syntax", this.#text.slice(from, this.#at + 1));
  }

  #groupName(opened: number): void {
    const [, name] = this.#matched(GROUP_NAME) ?? [];
    const part = this.#text.slice(opened, this.#at);
    if (name === undefined || !/^\w+$/.test(name)) throw new RegexSyntaxError("invalid named capture", part);
    if (this.#names.has(name)) throw new RegexSyntaxError("duplicate capture group name", name);
    this.#names.add(name);
  }

  #escape(): Regex {
    const place = PLACES[this.#text[this.#at + 1] ?? ""];
    if (place !== undefined) {
      this.#at += 2;
      return { is: "place", place };
    }
    const named = this.#namedClass();
    return named === null ? this.#literal(this.#escaped()) : { is: "one", characters: named };
  }

  /** Parses a class escape such as `\d` or `\p{Greek}`; returns null for other escapes. */
  #namedClass(): Characters | null {
    const { fold } = this.#flags;
    const letter = this.#text[this.#at + 1] ?? "";
    const perl = PERL[letter.toLowerCase()];
    if (perl !== undefined) {
      this.#at += 2;
      return /[DSW]/.test(letter) ? without(perl) : perl;
    }
    if (!/[pP]/.test(letter)) return null;
    const from = this.#at++;
    const [, not, braced, short] = this.#matched(PROPERTY) ?? [];
    const set = property(braced ?? short ?? "", fold);
    if (set === null) throw new RegexSyntaxError("invalid character class range", this.#text.slice(from, this.#at));
    return (letter === "P") !== (not === "^") ? without(set) : set;
  }

  /** Parses an escape of a single character. */
  #escaped(): number {
    const from = this.#at++;
    if (this.#at === this.#text.length) throw new RegexSyntaxError("trailing backslash at end of expression", "\\");
    const digits = this.#matched(CODE_POINT)
      ?.slice(1)
      .find((given) => given !== undefined);
    const hex = Number.parseInt(digits ?? "", 16);
    if (hex > MOST) throw this.#noEscape(from);
    if (!Number.isNaN(hex)) return hex;
    const octal = this.#matched(OCTAL)?.[0];
    if (octal !== undefined) return Number.parseInt(octal, 8);
    const codePoint = this.#next();
    const control = CONTROLS[String.fromCodePoint(codePoint)];
    if (control !== undefined) return control;
    if (codePoint > 0x7f || /[0-9A-Za-z]/.test(String.fromCodePoint(codePoint))) {
      throw this.#noEscape(from);
    }
    return codePoint;
  }

  #noEscape(from: number): RegexSyntaxError {
    return new RegexSyntaxError("invalid escape sequence", this.#text.slice(from, this.#at));
  }

  #class(): Characters {
    const opened = this.#at - 1;
    const not = this.#took("^");
    const sets: Characters[] = [];
    const ranges: [number, number][] = [];
    for (let first = true; first || this.#text[this.#at] !== "]"; first = false) {
      if (this.#at >= this.#text.length) throw this.#unclosed(opened);
      const named = this.#posixClass() ?? (this.#text[this.#at] === "\\" ? this.#namedClass() : null);
      if (named === null) ranges.push(this.#range(opened));
      else sets.push(named);
    }
    this.#at++;
    if (ranges.length > 0) sets.push(inRanges(ranges, this.#flags.fold));
    return not ? without(anyOf(sets)) : anyOf(sets);
  }

  #unclosed(opened: number): RegexSyntaxError {
    return new RegexSyntaxError("missing closing ]", this.#text.slice(opened));
  }

  #posixClass(): Characters | null {
    const [part, not, name] = this.#matched(CLASS_NAME) ?? [];
    if (name === undefined) return null;
    const ranges = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
    if (ranges === undefined) throw new RegexSyntaxError("invalid character class range", part as string);
    const set = inRanges(ranges, this.#flags.fold);
    return not === "^" ? without(set) : set;
  }

  #range(opened: number): [number, number] {
    const from = this.#at;
    const first = this.#classCharacter(opened);
    if (this.#text[this.#at] !== "-" || this.#at + 1 >= this.#text.length || this.#text[this.#at + 1] === "]") {
      return [first, first];
    }
    this.#at++;
    const last = this.#classCharacter(opened);
    if (last < first) {
      throw new RegexSyntaxError("invalid character class range", this.#text.slice(from, this.#at));
    }
    return [first, last];
  }

  #classCharacter(opened: number): number {
    if (this.#at >= this.#text.length) throw this.#unclosed(opened);
    return this.#text[this.#at] === "\\" ? this.#escaped() : this.#next();
  }
}

/**
 * Parses an expression in RE2 syntax: no look-around, no back-references, no possessive repetition. `\d`,
 * `\s`, `\w`, `\b`, `$`, `\Z`, `(?i)`, `{,n}` and `\u` have the same meaning as in Python's `re`. Sources:
 * https://github.com/google/re2/wiki/Syntax, https://docs.python.org/3/library/re.html.
 * @throws RegexSyntaxError
 */
export const parseRegex = (text: string): Regex => new RegexParser(text).whole();
