// How C, C++, Java, Go, Rust, C# and Kotlin write their literals. Must not know comments' spans.
import { type CommentDialect, plainQuotes } from "./braces.ts";
import { type Literal, quoted } from "./literals.ts";

/** Runs a sticky pattern at one place. */
function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

const PLAIN: CommentDialect = {
  nestedBlocks: false,
  splicesLines: false,
  crEndsLine: false,
  formatInHoles: false,
  quotesInNumbers: false,
  hashbang: false,
  literalAt: plainQuotes,
  isDirective: () => false,
};

export const C: CommentDialect = { ...PLAIN, splicesLines: true, quotesInNumbers: true };

const CPP_RAW = /(?:u8|[uUL])?R(?:\\[ \t]*\r?\n)*"([^()\\\s"]{0,16})\(/y;

export const CPP: CommentDialect = {
  ...C,
  literalAt(source, at) {
    const raw = "uULR".includes(source[at] as string) ? matchAt(CPP_RAW, source, at) : null;
    if (raw) return quoted(`)${raw[1]}"`, { open: raw[0].length, escape: "none", multiline: true });
    return plainQuotes(source, at);
  },
};

export const JAVA: CommentDialect = {
  ...PLAIN,
  crEndsLine: true,
  literalAt(source, at) {
    if (source.startsWith('"""', at)) return quoted('"""', { open: 3, multiline: true });
    return plainQuotes(source, at);
  },
};

/**
 * An escaped backslash, or a unicode escape of a quote, star, slash, line end or backslash. Behind
 * the last no `u` may come to stand.
 */
const HIDDEN_SYNTAX = /\\(?:\\|u+00(22|27|2[aA]|2[fF]|0[aA]|0[dD]|5[cC](?!u)))/g;

/**
 * A Java source with the unicode escapes that can open or close comments and strings undone, as its
 * compiler does first of all.
 */
export function withoutHiddenSyntax(source: string): string {
  return source.replace(HIDDEN_SYNTAX, (match, hex?: string) =>
    hex === undefined ? match : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const GO_DIRECTIVE = /^\/\/go:(?:build|embed|linkname)\s/;

export const GO: CommentDialect = {
  ...PLAIN,
  literalAt(source, at) {
    if (source[at] === "`") return quoted("`", { escape: "none", multiline: true });
    return plainQuotes(source, at);
  },
  isDirective: (comment) => GO_DIRECTIVE.test(comment),
};

/** A cgo preamble is C code in a comment. */
export const GO_CGO = /\bimport[\s(]{0,64}"C"|^[ \t]{0,64}"C"$/m;

const RUST_RAW = /[bc]?r(#{0,255})"/y;

/**
 * In Rust a quote opens a character only when one closes it one character on, or when an escape
 * follows; else a lifetime.
 */
function rustCharacter(source: string, at: number): Literal | null {
  const code = source.codePointAt(at + 1);
  if (code === undefined) return null;
  const isCharacter = source[at + 1] === "\\" || source[at + (code > 0xffff ? 3 : 2)] === "'";
  return isCharacter ? quoted("'") : null;
}

export const RUST: CommentDialect = {
  ...PLAIN,
  nestedBlocks: true,
  hashbang: true,
  literalAt(source, at) {
    const c = source[at] as string;
    const raw = "bcr".includes(c) ? matchAt(RUST_RAW, source, at) : null;
    if (raw) return quoted(`"${raw[1]}`, { open: raw[0].length, escape: "none", multiline: true });
    if (c === '"') return quoted('"', { multiline: true });
    return c === "'" ? rustCharacter(source, at) : null;
  },
};

// Bounded runs: an unbounded one would be walked again from each of its characters.
const CSHARP_STRING = /([@$]{0,8})("{1,64})/y;

export const CSHARP: CommentDialect = {
  ...PLAIN,
  crEndsLine: true,
  formatInHoles: true,
  literalAt(source, at) {
    const c = source[at] as string;
    if (c === "'") return quoted("'");
    const found = '@$"'.includes(c) ? matchAt(CSHARP_STRING, source, at) : null;
    if (!found) return null;
    const [, prefix = "", quotes = ""] = found;
    const verbatim = prefix.includes("@");
    if (quotes.length >= 3 && !verbatim) {
      return quoted(quotes, { open: prefix.length + quotes.length, escape: "none", multiline: true });
    }
    return quoted('"', {
      open: prefix.length + 1,
      escape: verbatim ? "doubled" : "backslash",
      multiline: verbatim,
      hole: prefix.includes("$") ? "{" : "",
    });
  },
};

export const KOTLIN: CommentDialect = {
  ...PLAIN,
  nestedBlocks: true,
  crEndsLine: true,
  hashbang: true,
  literalAt(source, at) {
    if (source.startsWith('"""', at)) {
      return quoted('"""', { open: 3, escape: "none", multiline: true, hole: "${" });
    }
    if (source[at] === '"') return quoted('"', { hole: "${" });
    if (source[at] === "`") return quoted("`", { escape: "none" });
    return source[at] === "'" ? quoted("'") : null;
  },
};
