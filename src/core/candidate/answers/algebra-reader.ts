// Parses algebra in the notations that answers use (TeX, calculators, plain text) into exact arithmetic.
// Rejects ambiguous notation such as 1/2x or f(3).

import { Algebra, IMAGINARY, keyOfQuotient, NotExact, PI, partsOf, type Quotient, rational } from "./exact-algebra.ts";
import type { Ratio } from "./exact-number.ts";

/** An expression in lowest terms. */
export interface AlgebraicValue {
  /** Two expressions that are equal by these rules have the same key. */
  key: string;
  /** The value if it is a rational number, else null. */
  value: Ratio | null;
  /** Whether variables are absent, so that different keys mean different values. */
  isNumeric: boolean;
  /**
   * Whether the arithmetic covers the whole expression, with no function, power or root left as an opaque
   * part.
   */
  isPlain: boolean;
  letters: ReadonlySet<string>;
}

const DEPTH_MAX = 24;
const FACTORIAL_MAX = 50;

const GREEK =
  /^(?:alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|vartheta|iota|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|varphi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Sigma|Phi|Psi|Omega|ell|hbar)$/;
const FUNCTION = /^(?:arc)?(?:sin|cos|tan|cot|sec|csc)h?$|^(?:ln|lg|log|exp)$/;
const NUMBER = /\d+(?:\.\d+)?|\.\d+/y;
/**
 * A number with thousands separators, which is allowed only outside brackets, where a comma cannot separate
 * items.
 */
const GROUPED = /[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d+)?/y;
const WORD = /[A-Za-z]+/y;
const MACRO = /\\([A-Za-z]+)/y;
const SUBSCRIPT = /\s*_\s*(?:([A-Za-z0-9])(?![A-Za-z0-9])|\{([A-Za-z0-9+\-, ]{1,16})\})/y;
const DEGREE = /\s*\[\s*(\d{1,2})\s*\]/y;
const SPACE = /\s*/y;
const TIMES = /(?:\\cdot|\\times|\\ast)(?![A-Za-z])|[*\u00b7\u22c5\u00d7\u2219]/y;
const OVER = /\\div(?![A-Za-z])|[/\u00f7]/y;
/** Letters that name functions if brackets follow. */
const APPLIED = /^[A-Zfgh]$/;
/**
 * Matches a run of letters that is a product of variables and not a word: two letters, or three such as abc
 * or xyz.
 */
const LETTERS = /^(?:[A-Za-z]{1,2}|[b-df-hj-np-tv-z]{3}|abc)$/;

const decimal = (text: string): Ratio => {
  const [whole = "", part = ""] = text.replaceAll(",", "").split(".");
  return [BigInt(`${whole}${part}`), 10n ** BigInt(part.length)];
};

/** Scans a string from left to right. */
class AnswerScanner {
  at = 0;
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  fail(): never {
    throw new NotExact();
  }

  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  next(): string {
    this.match(SPACE);
    return this.text.charAt(this.at);
  }

  take(sign: string): boolean {
    if (this.next() !== sign) return false;
    this.at++;
    return true;
  }
}

/** Parses letters, brackets and the arguments of TeX macros. */
abstract class Arguments extends AnswerScanner {
  readonly letters = new Set<string>();
  readonly algebra: Algebra;

  constructor(text: string, isComplex: boolean) {
    super(text);
    this.algebra = new Algebra(isComplex);
  }

  abstract sum(): Quotient;

  exponent(): Quotient {
    if (this.next() === "{" || this.next() === "(") return this.bracketed();
    const digits = this.match(/\d+/y);
    return digits === null ? this.argument() : this.algebra.number(decimal(digits[0]));
  }

  bracketed(): Quotient {
    const open = this.text.charAt(this.at++);
    const result = this.sum();
    if (!this.take(open === "{" ? "}" : ")")) this.fail();
    return result;
  }

  /**
   * Parses a macro argument by TeX's rules: a group in braces, a single digit, a single letter, or a macro.
   */
  argument(): Quotient {
    const first = this.next();
    if (first === "{") return this.bracketed();
    if (/\d/.test(first)) {
      this.at++;
      return this.algebra.number(decimal(first));
    }
    if (/[A-Za-z]/.test(first)) {
      this.at++;
      return this.letter(first);
    }
    const [, name = ""] = this.match(MACRO) ?? this.fail();
    if (name === "pi") return this.algebra.atom(PI);
    return GREEK.test(name) ? this.letter(`\\${name}`) : this.fail();
  }

  /** Parses the last argument of a macro. Rejects ambiguous input such as `\frac123` and `\sqrt35`. */
  lastArgument(): Quotient {
    const isBare = this.next() !== "{";
    const argument = this.argument();
    if (isBare && /[\d.]/.test(this.text.charAt(this.at))) this.fail();
    return argument;
  }

  letter(name: string): Quotient {
    const [, single, more] = this.match(SUBSCRIPT) ?? [];
    const index = (single ?? more)?.replaceAll(" ", "");
    const full = index === undefined ? name : `${name}_${index}`;
    if (this.next() === "(") this.refuseCall(name);
    this.letters.add(full);
    return this.algebra.atom(full);
  }

  plainLetter(letter: string): Quotient {
    this.letters.add(letter);
    return this.algebra.atom(letter);
  }

  /** Rejects a possible function call: x(y+1) is a product, but f(3) and x(3) may be calls. */
  refuseCall(letter: string): void {
    if (APPLIED.test(letter) || !/^\([^()+-]*[+-][^()]*\)/.test(this.text.slice(this.at))) this.fail();
  }
}

/** Parses sums, products and factors by recursive descent. */
class Reader extends Arguments {
  #depth = 0;

  whole(): Quotient {
    const result = this.sum();
    if (this.next() !== "") this.fail();
    return result;
  }

  sum(): Quotient {
    if (++this.#depth > DEPTH_MAX) this.fail();
    let result = this.#signed();
    for (;;) {
      if (this.take("+")) result = this.algebra.add(result, this.#product());
      else if (this.take("-")) result = this.algebra.add(result, this.algebra.negative(this.#product()));
      else break;
    }
    this.#depth--;
    return result;
  }

  #signed(): Quotient {
    if (this.take("-")) return this.algebra.negative(this.#product());
    this.take("+");
    return this.#product();
  }

  #product(): Quotient {
    let result = this.#factor();
    let isOver = false;
    for (;;) {
      this.match(SPACE);
      if (this.match(TIMES) !== null) {
        this.match(SPACE);
        result = this.algebra.multiply(result, this.#factor());
        isOver = false;
      } else if (this.match(OVER) !== null) {
        // 1/2/3 and 1/2x are ambiguous.
        if (isOver) this.fail();
        this.match(SPACE);
        result = this.algebra.divide(result, this.#factor());
        isOver = true;
      } else if (/[A-Za-z\\({\u221a\u03b1-\u03c9\u0391-\u03a9]/.test(this.next())) {
        if (isOver) this.fail();
        result = this.algebra.multiply(result, this.#factor());
      } else return result;
    }
  }

  #factor(): Quotient {
    const isFraction = this.text.startsWith("\\frac", this.at);
    const base = this.#counted(this.#base());
    if (!this.take("^")) return base;
    // In \frac{1}{2}^2, the power may apply to the fraction or to its denominator.
    if (isFraction) this.fail();
    const power = this.algebra.power(base, this.exponent());
    if (["^", "!"].includes(this.next())) this.fail();
    return power;
  }

  #counted(base: Quotient): Quotient {
    if (!this.take("!")) return base;
    const value = rational(base);
    if (value === null || value[1] !== 1n || value[0] < 0n || value[0] > FACTORIAL_MAX || this.next() === "!")
      this.fail();
    let product = 1n;
    for (let n = 2n; n <= value[0]; n++) product *= n;
    return this.algebra.number([product, 1n]);
  }

  #base(): Quotient {
    const sign = this.next();
    if (sign === "(" || sign === "{") return this.bracketed();
    const digits = (this.#depth === 1 ? this.match(GROUPED) : null) ?? this.match(NUMBER);
    if (digits !== null) return this.#mixed(decimal(digits[0]));
    if (sign === "\u03c0") {
      this.at++;
      return this.algebra.atom(PI);
    }
    if (/[\u03b1-\u03c9\u0391-\u03a9]/.test(sign)) {
      this.at++;
      return this.letter(sign);
    }
    if (sign === "\u221a") return this.#radical();
    const word = this.match(WORD);
    if (word !== null) return this.#word(word[0]);
    const [, name = ""] = this.match(MACRO) ?? this.fail();
    return this.#macro(name);
  }

  /** Parses a number, or a mixed number if a proper fraction follows directly. */
  #mixed(value: Ratio): Quotient {
    const number = this.algebra.number(value);
    const start = this.at;
    if (!this.text.startsWith("\\frac", start + (this.match(SPACE) as RegExpExecArray)[0].length)) {
      this.at = start;
      return number;
    }
    this.at += "\\frac".length;
    const fraction = this.algebra.divide(this.argument(), this.lastArgument());
    const part = rational(fraction);
    if (part === null) return ["^", "!"].includes(this.next()) ? this.fail() : this.algebra.multiply(number, fraction);
    const isMixed = value[1] === 1n && part[0] > 0n && part[0] < part[1];
    if (!isMixed || /[A-Za-z\\({^!\u221a]/.test(this.next())) this.fail();
    return this.algebra.add(number, fraction);
  }

  /** Parses the Unicode root sign, or the word `sqrt` that calculators use. */
  #radical(): Quotient {
    if (this.text.charAt(this.at) === "\u221a") this.at++;
    if (this.next() === "(" || this.next() === "{") return this.algebra.root(this.bracketed(), 2);
    const digits = this.match(NUMBER);
    const inside = digits === null ? this.argument() : this.algebra.number(decimal(digits[0]));
    if (/[A-Za-z({^!\u221a\d]/.test(this.text.charAt(this.at))) this.fail();
    return this.algebra.root(inside, 2);
  }

  #word(word: string): Quotient {
    if (word === "sqrt") return /[({]/.test(this.next()) ? this.#radical() : this.fail();
    if (word === "pi") return this.algebra.atom(PI);
    if (!LETTERS.test(word)) this.fail();
    // A power or subscript applies to the last letter only.
    let result: Quotient | null = null;
    for (const letter of word.slice(0, -1)) {
      const atom = this.plainLetter(letter);
      result = result === null ? atom : this.algebra.multiply(result, atom);
    }
    const last = word.slice(-1);
    const atom = this.letter(last);
    if (result === null) return atom;
    if (!this.take("^")) return this.algebra.multiply(result, atom);
    const power = this.algebra.power(atom, this.exponent());
    if (["^", "!"].includes(this.next())) this.fail();
    return this.algebra.multiply(result, power);
  }

  #macro(name: string): Quotient {
    if (name === "pi") return this.algebra.atom(PI);
    if (GREEK.test(name)) return this.letter(`\\${name}`);
    if (name === "frac") {
      const top = this.argument();
      return this.algebra.divide(top, this.lastArgument());
    }
    if (name === "sqrt") {
      const degree = Number(this.match(DEGREE)?.[1] ?? 2);
      return this.algebra.root(this.lastArgument(), degree);
    }
    if (name === "binom") return this.#binomial(rational(this.argument()), rational(this.lastArgument()));
    return FUNCTION.test(name) ? this.#function(name) : this.fail();
  }

  #binomial(n: Ratio | null, k: Ratio | null): Quotient {
    const isCount = (value: Ratio | null): value is Ratio =>
      value !== null && value[1] === 1n && value[0] >= 0n && value[0] <= FACTORIAL_MAX;
    if (!isCount(n) || !isCount(k) || k[0] > n[0]) this.fail();
    let count = 1n;
    for (let i = 1n; i <= k[0]; i++) count = (count * (n[0] - k[0] + i)) / i;
    return this.algebra.number([count, 1n]);
  }

  /**
   * Parses a function applied to brackets, braces, or a short argument such as `2x`. Functions are not
   * evaluated.
   */
  #function(name: string): Quotient {
    const [, single, more] = this.match(SUBSCRIPT) ?? [];
    const index = single ?? more ?? "";
    const power = this.take("^") ? this.exponent() : null;
    const times = power === null ? null : rational(power);
    // sin^{-1} may mean the inverse function or 1 / sin.
    if (power !== null && (times === null || times[1] !== 1n || times[0] < 1n)) this.fail();
    const sign = this.next();
    const argument = sign === "(" || sign === "{" ? this.bracketed() : this.#shortArgument();
    // In sin(x)^2, the power may apply to the function or to its argument.
    if (["^", "!"].includes(this.next())) this.fail();
    const call = this.algebra.hidden(`${name}_${index}(${keyOfQuotient(argument)})`);
    return power === null ? call : this.algebra.power(call, power);
  }

  #shortArgument(): Quotient {
    const number = this.match(NUMBER);
    const factor = number === null ? null : this.algebra.number(decimal(number[0]));
    if (factor !== null && !/[A-Za-z\\]/.test(this.next())) return factor;
    const letter = this.argument();
    // sin x y and sin x^2 are ambiguous.
    if (/[A-Za-z\\({^!\d_]/.test(this.next())) this.fail();
    return factor === null ? letter : this.algebra.multiply(factor, letter);
  }
}

/** Parses a plain answer as an expression; returns null if it is not one. The work is bounded. */
export function readAlgebra(text: string): AlgebraicValue | null {
  try {
    const plain = new Reader(text, false);
    let quotient = plain.whole();
    const isOnlyI = [...plain.letters].every((letter) => letter === IMAGINARY);
    if (isOnlyI) quotient = new Reader(text, true).whole();
    const { letters, isPlain } = partsOf(quotient);
    const isNumeric = isPlain && isOnlyI;
    return {
      key: keyOfQuotient(quotient),
      value: rational(quotient),
      isNumeric,
      isPlain,
      letters: isOnlyI ? new Set() : letters,
    };
  } catch (error) {
    if (error instanceof NotExact) return null;
    throw error;
  }
}
