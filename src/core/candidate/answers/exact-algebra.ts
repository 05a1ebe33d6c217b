// Exact arithmetic with quotients of sums such as 3*sqrt(2)*x^2 - 1/2. Quotients with the same key have equal
// values. If two sums of numbers, roots of numbers and pi have different keys, their values differ, because
// products of roots of primes are linearly independent over the rationals (Besicovitch 1940) and pi is
// transcendental.

import { divisor, type Ratio } from "./exact-number.ts";

/** Thrown for an expression that cannot be read exactly. Such an answer equals only an identical string. */
export class NotExact extends Error {}

/**
 * Limits per expression: terms of a sum, binary digits of a number, exponents, degrees of roots, and
 * radicands.
 */
const TERMS_MAX = 48;
const BITS_MAX = 256;
const POWER_MAX = 64;
const ROOT_MAX = 12;
const RADICAND_MAX = 100_000_000n;
/** Maximum number of multiplications of terms per expression. */
const STEPS_MAX = 400;
/** Maximum length of an opaque atom's name, which includes the keys of everything inside the atom. */
const NAME_MAX = 2_000;

export const PI = "\\pi";
export const IMAGINARY = "i";
/** Prefix of an opaque atom: a function, a nested root, or a power whose exponent contains a variable. */
const HIDDEN = "?";
/** Prefix of an atom that is the root of a prime. */
const PRIME = "#";

/**
 * Exponents keyed by atom: a letter, pi, the root of a prime (#2, with an exponent below 1), or an opaque
 * atom.
 */
type Product = ReadonlyMap<string, Ratio>;
interface Term {
  factor: Ratio;
  product: Product;
}
/** Terms keyed by their product; zero terms are removed. */
type Sum = ReadonlyMap<string, Term>;
export interface Quotient {
  top: Sum;
  bottom: Sum;
}

const size = (value: bigint): bigint => (value < 0n ? -value : value);

function ratio(num: bigint, den: bigint): Ratio {
  if (den === 0n) throw new NotExact();
  const common = den === 1n ? 1n : divisor(size(num), size(den)) * (den < 0n ? -1n : 1n);
  const lowest: Ratio = [num / common, den / common];
  if (lowest.some((part) => size(part) >> BigInt(BITS_MAX) > 0n)) throw new NotExact();
  return lowest;
}
const times = (a: Ratio, b: Ratio): Ratio => ratio(a[0] * b[0], a[1] * b[1]);
const plus = (a: Ratio, b: Ratio): Ratio => ratio(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
const show = ([num, den]: Ratio): string => (den === 1n ? `${num}` : `${num}/${den}`);

const keyOf = (product: Product): string =>
  [...product]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([atom, power]) => `${atom}^${show(power)}`)
    .join(" ");

const NONE: Product = new Map();
const ZERO: Sum = new Map();
const sumOf = (factor: Ratio, product: Product = NONE): Sum =>
  factor[0] === 0n ? ZERO : new Map([[keyOf(product), { factor, product }]]);
const ONE = sumOf([1n, 1n]);
const isOne = (sum: Sum): boolean => keyOfSum(sum) === "1";

const keyOfSum = (sum: Sum): string =>
  [...sum]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { factor }]) => (key === "" ? show(factor) : `${show(factor)} ${key}`))
    .join(" + ");

function addTo(all: Map<string, Term>, sum: Sum): Map<string, Term> {
  for (const [key, { factor, product }] of sum) {
    const total = plus(all.get(key)?.factor ?? [0n, 1n], factor);
    if (total[0] === 0n) all.delete(key);
    else all.set(key, { factor: total, product });
  }
  if (all.size > TERMS_MAX) throw new NotExact();
  return all;
}

/**
 * Exact arithmetic for one expression, with bounded work. With `isComplex`, the letter i is the square root
 * of -1.
 */
export class Algebra {
  #steps = 0;
  readonly #isComplex: boolean;
  constructor(isComplex: boolean) {
    this.#isComplex = isComplex;
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > STEPS_MAX) throw new NotExact();
  }

  number = (value: Ratio): Quotient => ({ top: sumOf(ratio(...value)), bottom: ONE });
  atom = (name: string): Quotient => ({ top: sumOf([1n, 1n], new Map([[name, [1n, 1n]]])), bottom: ONE });
  hidden(name: string): Quotient {
    if (name.length > NAME_MAX) throw new NotExact();
    return this.atom(`${HIDDEN}${name}`);
  }

  #sum = (a: Sum, b: Sum): Sum => addTo(new Map(a), b);

  #term(a: Term, b: Term): Sum {
    let factor = times(a.factor, b.factor);
    const product = new Map(a.product);
    for (const [atom, power] of b.product) {
      let total = plus(product.get(atom) ?? [0n, 1n], power);
      if (atom.startsWith(PRIME) && total[0] >= total[1]) {
        factor = times(factor, [BigInt(atom.slice(1)), 1n]);
        total = plus(total, [-1n, 1n]);
      }
      if (atom === IMAGINARY && this.#isComplex) {
        if (total[0] % 4n > 1n) factor = [-factor[0], factor[1]];
        total = [total[0] % 2n, 1n];
      }
      if (total[0] === 0n) product.delete(atom);
      else product.set(atom, total);
    }
    return sumOf(factor, product);
  }

  #product(a: Sum, b: Sum): Sum {
    this.#spend(a.size * b.size);
    const all = new Map<string, Term>();
    for (const x of a.values()) for (const y of b.values()) addTo(all, this.#term(x, y));
    return all;
  }

  add(a: Quotient, b: Quotient): Quotient {
    if (keyOfSum(a.bottom) === keyOfSum(b.bottom)) return { top: this.#sum(a.top, b.top), bottom: a.bottom };
    const top = this.#sum(this.#product(a.top, b.bottom), this.#product(b.top, a.bottom));
    return this.#lowest(top, this.#product(a.bottom, b.bottom));
  }

  negative = (a: Quotient): Quotient => this.multiply(this.number([-1n, 1n]), a);
  multiply = (a: Quotient, b: Quotient): Quotient =>
    this.#lowest(this.#product(a.top, b.top), this.#product(a.bottom, b.bottom));
  divide = (a: Quotient, b: Quotient): Quotient =>
    this.#lowest(this.#product(a.top, b.bottom), this.#product(a.bottom, b.top));

  /**
   * Returns 1 / term if the term contains only numbers, roots of primes, pi and i, none of which is 0; else
   * null.
   */
  #inverse({ factor, product }: Term): Sum | null {
    let inverse = sumOf(ratio(factor[1], factor[0]));
    for (const [atom, power] of product) {
      if (atom === PI) inverse = this.#product(inverse, sumOf([1n, 1n], new Map([[PI, [-power[0], power[1]]]])));
      else if (atom.startsWith(PRIME)) {
        const rest: Ratio = plus([1n, 1n], [-power[0], power[1]]);
        inverse = this.#product(inverse, sumOf([1n, BigInt(atom.slice(1))], new Map([[atom, rest]])));
      } else if (atom === IMAGINARY && this.#isComplex) {
        inverse = this.#product(inverse, sumOf([-1n, 1n], new Map([[atom, [1n, 1n]]])));
      } else return null;
    }
    return inverse;
  }

  /**
   * Returns the sum with its first square root, or i, negated. Multiplying a denominator by it removes that
   * root.
   */
  #conjugate(sum: Sum): Sum | null {
    const atoms = [...sum.values()].flatMap(({ product }) => [...product]);
    const isRoot = ([atom, power]: readonly [string, Ratio]) =>
      (atom.startsWith(PRIME) && power[1] === 2n) || (atom === IMAGINARY && this.#isComplex);
    if (!atoms.every(isRoot)) return null;
    const root = atoms[0]?.[0];
    const negated = [...sum].map(([key, { factor, product }]): [string, Term] => [
      key,
      { factor: root !== undefined && product.has(root) ? [-factor[0], factor[1]] : factor, product },
    ]);
    return new Map(negated);
  }

  /**
   * Reduces a quotient to lowest terms: the denominator becomes 1 if it contains only numbers; otherwise its
   * leading coefficient becomes 1.
   */
  #lowest(top: Sum, bottom: Sum): Quotient {
    if (bottom.size === 0) throw new NotExact();
    if (isOne(bottom)) return { top, bottom };
    const terms = [...bottom.values()];
    const hides = terms.some(({ product }) => [...product.keys()].some((atom) => atom.startsWith(HIDDEN)));
    // An opaque atom might make the denominator 0.
    if (hides && terms.length > 1) throw new NotExact();
    const [first] = terms as [Term, ...Term[]];
    if (terms.length === 1) {
      const inverse = this.#inverse(first);
      if (inverse !== null) return { top: this.#product(top, inverse), bottom: ONE };
    } else {
      const conjugate = this.#conjugate(bottom);
      if (conjugate !== null) return this.#lowest(this.#product(top, conjugate), this.#product(bottom, conjugate));
    }
    const [, leading] = [...bottom].sort(([a], [b]) => (a < b ? 1 : -1))[0] as [string, Term];
    const numeric = new Map([...leading.product].filter(([atom]) => atom === PI || atom.startsWith(PRIME)));
    const inverse = this.#inverse({ factor: leading.factor, product: numeric }) as Sum;
    return { top: this.#product(top, inverse), bottom: this.#product(bottom, inverse) };
  }

  power(base: Quotient, exponent: Quotient): Quotient {
    const n = rational(exponent);
    if (n === null) return this.hidden(`power(${keyOfQuotient(base)};${keyOfQuotient(exponent)})`);
    if (size(n[0]) > BigInt(POWER_MAX) && rational(base) === null) throw new NotExact();
    if (n[1] !== 1n) {
      if (n[0] < 0n || n[1] > BigInt(ROOT_MAX)) throw new NotExact();
      return this.power(this.root(base, Number(n[1])), this.number([n[0], 1n]));
    }
    if (base.top.size === 0 && n[0] <= 0n) throw new NotExact();
    if (size(n[0]) > BigInt(BITS_MAX)) throw new NotExact();
    const from = n[0] < 0n ? this.divide(this.number([1n, 1n]), base) : base;
    let result = this.number([1n, 1n]);
    for (let left = size(n[0]), square = from; left > 0n; ) {
      if (left % 2n === 1n) result = this.multiply(result, square);
      left /= 2n;
      if (left > 0n) square = this.multiply(square, square);
    }
    return result;
  }

  /**
   * The principal root of degree n: a product of roots of primes if the base is a number, else an opaque
   * atom.
   */
  root(base: Quotient, n: number): Quotient {
    if (n < 2 || n > ROOT_MAX) throw new NotExact();
    const value = rational(base);
    if (value !== null && value[0] < 0n) {
      const positive = this.root(this.negative(base), n);
      if (n % 2 === 1) return this.negative(positive);
      if (n !== 2) throw new NotExact();
      return this.multiply(this.atom(IMAGINARY), positive);
    }
    if (base.top.size === 0) return base;
    const [term] = base.top.values();
    const isNumeric =
      term !== undefined && isOne(base.bottom) && [...term.product.keys()].every((atom) => atom.startsWith(PRIME));
    if (isNumeric && base.top.size === 1 && term.factor[0] > 0n) return this.#rootOf(term, n);
    const plain = isNumeric && n === 2 && base.top.size === 2 ? this.#denested(base) : null;
    if (plain !== null) return plain;
    // Moves the positive rational factor out of the root.
    const factors = [...base.top.values()].map(({ factor }) => factor);
    const content = ratio(
      factors.map(([num]) => size(num)).reduce(divisor),
      factors.map(([, den]) => den).reduce((a, b) => (a / divisor(a, b)) * b),
    );
    const inside = this.divide(base, this.number(content));
    return this.multiply(this.root(this.number(content), n), this.hidden(`root${n}(${keyOfQuotient(inside)})`));
  }

  #rootOf({ factor: [num, den], product }: Term, n: number): Quotient {
    // (a/b)^(1/n) = (a b^(n-1))^(1/n) / b
    let result = this.number([1n, den]);
    const primes = new Map<string, Ratio>();
    for (const [prime, count] of primesOf(num)) primes.set(`${PRIME}${prime}`, [BigInt(count), BigInt(n)]);
    for (const [prime, count] of primesOf(den)) primes.set(`${PRIME}${prime}`, [BigInt(count * (n - 1)), BigInt(n)]);
    for (const [atom, power] of product)
      primes.set(atom, plus(primes.get(atom) ?? [0n, 1n], times(power, [1n, BigInt(n)])));
    for (const [atom, power] of primes) {
      const whole = power[0] / power[1];
      const part = ratio(power[0] - whole * power[1], power[1]);
      result = this.multiply(result, this.number([BigInt(atom.slice(1)) ** whole, 1n]));
      if (part[0] > 0n) result = this.multiply(result, { top: sumOf([1n, 1n], new Map([[atom, part]])), bottom: ONE });
    }
    return result;
  }

  /**
   * Denests sqrt(a + b), where a > 0 and b^2 are rational, into sqrt((a + d)/2) +- sqrt((a - d)/2) with d^2 =
   * a^2 - b^2.
   */
  #denested({ top }: Quotient): Quotient | null {
    const [a, b] = [...top.values()].sort((x, y) => x.product.size - y.product.size) as [Term, Term];
    if (a.product.size > 0 || a.factor[0] < 0n) return null;
    const quotientOf = (sum: Sum): Quotient => ({ top: sum, bottom: ONE });
    const second = quotientOf(sumOf(b.factor, b.product));
    const first = quotientOf(sumOf(a.factor));
    const square = rational(this.add(this.multiply(first, first), this.negative(this.multiply(second, second))));
    if (square === null || square[0] < 0n) return null;
    const d = this.root(this.number(square), 2);
    if (rational(d) === null) return null;
    const half = this.number([1n, 2n]);
    const large = this.root(this.multiply(half, this.add(first, d)), 2);
    const small = this.root(this.multiply(half, this.add(first, this.negative(d))), 2);
    return this.add(large, b.factor[0] < 0n ? this.negative(small) : small);
  }
}

function primesOf(value: bigint): Map<number, number> {
  if (value > RADICAND_MAX) throw new NotExact();
  const found = new Map<number, number>();
  let rest = Number(value);
  for (let prime = 2; prime * prime <= rest; prime++) {
    for (; rest % prime === 0; rest /= prime) found.set(prime, (found.get(prime) ?? 0) + 1);
  }
  if (rest > 1) found.set(rest, (found.get(rest) ?? 0) + 1);
  return found;
}

/** The value of a quotient if it is rational, else null. */
export function rational({ top, bottom }: Quotient): Ratio | null {
  if (!isOne(bottom) || top.size > 1) return null;
  if (top.size === 0) return [0n, 1n];
  return top.get("")?.factor ?? null;
}

export const keyOfQuotient = ({ top, bottom }: Quotient): string =>
  isOne(bottom) ? keyOfSum(top) || "0" : `(${keyOfSum(top) || "0"}) over (${keyOfSum(bottom)})`;

/** The variables and opaque atoms of a quotient. `isPlain` means that opaque atoms are absent. */
export function partsOf({ top, bottom }: Quotient): { letters: ReadonlySet<string>; isPlain: boolean } {
  const atoms = new Set([...top.values(), ...bottom.values()].flatMap(({ product }) => [...product.keys()]));
  const letters = new Set([...atoms].filter((atom) => atom !== PI && !atom.startsWith(PRIME)));
  return { letters, isPlain: ![...atoms].some((atom) => atom.startsWith(HIDDEN)) };
}
