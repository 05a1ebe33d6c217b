// Exact parsing of numbers in the notations that answers use: integers, decimals, thousands separators,
// fractions, mixed numbers, powers of ten, percentages.

export type Equivalence = "equal" | "different" | "unknown";

/** The fraction num / den in lowest terms, with den > 0. */
export interface Rational {
  num: bigint;
  den: bigint;
  /** Whether the number has a percent sign. Such numbers can be compared only with other percentages. */
  percent: boolean;
  /** The same only for equal numbers. */
  key: string;
  /**
   * Binary logarithm of the absolute value, accurate to 1e-10; -Infinity for 0. Distinguishes numbers of
   * different magnitudes without multiplication.
   */
  log: number;
}

/** Largest absolute exponent for which a power of ten is computed. */
const EXPONENT_MAX = 400;

/**
 * A number with thousands separators does not begin with 0, because `0,125` is a decimal in other locales.
 */
const DIGITS = "(?:[1-9]\\d{0,2}(?:,\\d{3})+|\\d+)";
const DECIMAL = `(?:${DIGITS}(?:\\.\\d*)?|\\.\\d+)`;
const POWER = "10\\s*\\^\\s*(?:\\{\\s*([+-]?\\d{1,4})\\s*\\}|([+-]?\\d{1,4}))";
const PLAIN = new RegExp(`^(${DECIMAL})(?:[eE]([+-]?\\d{1,4}))?$`);
const TIMES_POWER = new RegExp(`^(${DECIMAL})\\s*(?:\\\\times|\\\\cdot|[x*\u00d7])\\s*${POWER}$`);
const ONLY_POWER = new RegExp(`^${POWER}$`);
const SLASH = new RegExp(`^(?:(\\d+)\\s+)?(${DECIMAL})\\s*/\\s*(-?${DECIMAL})$`);
const FRAC = new RegExp(`^(\\d+)?\\s*\\\\frac\\s*\\{\\s*(-?${DECIMAL})\\s*\\}\\s*\\{\\s*(-?${DECIMAL})\\s*\\}$`);
/** `1 234/567` may be a mixed number, or its space may be a thousands separator. */
const AMBIGUOUS_SPACE = /^\d{1,3}\s+\d{3}\s*\//;

export type Ratio = readonly [num: bigint, den: bigint];

/** Converts a decimal such as `1,234.50` into a ratio. A leading minus sign is allowed. */
function decimal(text: string): Ratio {
  const negative = text.startsWith("-");
  const [whole = "", part = ""] = text.replace(/^-/, "").replaceAll(",", "").split(".");
  const value = BigInt(`${whole}${part}` || "0");
  return [negative ? -value : value, 10n ** BigInt(part.length)];
}

function scaled([num, den]: Ratio, exponent: number): Ratio | null {
  if (Math.abs(exponent) > EXPONENT_MAX) return null;
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0 ? [num, den * power] : [num * power, den];
}

/**
 * Computes whole + a / b, or a / b. A mixed number requires a proper fraction. Returns null for a division by
 * zero.
 */
function fraction(whole: string | undefined, top: string, bottom: string): Ratio | null {
  const [a, ad] = decimal(top);
  const [b, bd] = decimal(bottom);
  if (b === 0n) return null;
  const [num, den] = b < 0n ? [-a * bd, -b * ad] : [a * bd, b * ad];
  if (whole === undefined) return [num, den];
  return num > 0n && num < den ? [BigInt(whole) * den + num, den] : null;
}

function unsigned(text: string): Ratio | null {
  const plain = PLAIN.exec(text);
  if (plain !== null) return scaled(decimal(plain[1] as string), Number(plain[2] ?? 0));
  const times = TIMES_POWER.exec(text);
  if (times !== null) return scaled(decimal(times[1] as string), Number(times[2] ?? times[3]));
  const power = ONLY_POWER.exec(text);
  if (power !== null) return scaled([1n, 1n], Number(power[1] ?? power[2]));
  const parts = AMBIGUOUS_SPACE.test(text) ? null : (SLASH.exec(text) ?? FRAC.exec(text));
  return parts === null ? null : fraction(parts[1], parts[2] as string, parts[3] as string);
}

export function divisor(a: bigint, b: bigint): bigint {
  let [high, low] = [a, b];
  while (low !== 0n) [high, low] = [low, high % low];
  return high;
}

const size = (value: bigint): bigint => (value < 0n ? -value : value);

/** Number of hexadecimal digits that a double can hold exactly. */
const EXACT_DIGITS = 13;

function logOf(value: bigint): number {
  const digits = value.toString(16);
  const rest = Math.max(0, digits.length - EXACT_DIGITS);
  return Math.log2(Number.parseInt(digits.slice(0, EXACT_DIGITS), 16)) + 4 * rest;
}

/**
 * Parses a plain answer as a number; returns null if it is not one. Commas are accepted only between groups
 * of three digits.
 */
export function readNumber(answer: string): Rational | null {
  const sign = /^[+-]?/.exec(answer)?.[0] ?? "";
  const text = answer.slice(sign.length).trim();
  const percent = /\\?%$/.exec(text)?.[0] ?? "";
  const ratio = unsigned(text.slice(0, text.length - percent.length).trimEnd());
  return ratio === null ? null : rationalOf([sign === "-" ? -ratio[0] : ratio[0], ratio[1]], percent !== "");
}

/** Converts a ratio with a positive denominator. */
export function rationalOf(ratio: Ratio, percent: boolean): Rational {
  const common = divisor(size(ratio[0]), ratio[1]);
  const [num, den] = [ratio[0] / common, ratio[1] / common];
  const key = `${num.toString(16)}/${den.toString(16)}${percent ? "%" : ""}`;
  const log = num === 0n ? Number.NEGATIVE_INFINITY : logOf(size(num)) - logOf(den);
  return { num, den, percent, key, log };
}

/** Numbers whose logarithms differ by more than this have different magnitudes. */
const LOG_ERROR = 1e-9;

/** Comparator for ascending order. Numbers of different magnitudes are compared without multiplication. */
export function orderNumbers(a: Rational, b: Rational): number {
  const [x, y] = [a.num < 0n ? -1 : Number(a.num > 0n), b.num < 0n ? -1 : Number(b.num > 0n)];
  if (x !== y) return x - y;
  if (a.key === b.key) return 0;
  if (Math.abs(a.log - b.log) > LOG_ERROR) return a.log < b.log ? -x : x;
  return a.num * b.den < b.num * a.den ? -1 : 1;
}

/**
 * Whether |a - b| is at most a share of the larger number. The share is in millionths and below 1,000,000.
 */
export function isWithin(a: Rational, b: Rational, millionths: bigint): boolean {
  if (a.num < 0n !== b.num < 0n || a.num === 0n || b.num === 0n) return a.num === b.num;
  const beyond = Math.abs(a.log - b.log) + Math.log2(1 - Number(millionths) / 1e6);
  if (Math.abs(beyond) > LOG_ERROR) return beyond < 0;
  const [x, y] = [a.num * b.den, b.num * a.den];
  const room = (magnitude: bigint) => size(x - y) * 1_000_000n <= size(magnitude) * millionths;
  return room(x) || room(y);
}

/** 0.1 % of the larger number. Numbers this close may be the same number, with one of them rounded. */
const NEAR_MILLIONTHS = 1_000n;

/**
 * Returns `equal` if the numbers are exactly equal or within `tolerance` millionths of the larger one,
 * `unknown` for a percentage and a plain number or if one may be a rounded form of the other, and otherwise
 * `different`.
 */
export function compareNumbers(a: Rational, b: Rational, tolerance: bigint): Equivalence {
  if (a.percent !== b.percent) return "unknown";
  if (a.key === b.key || (tolerance > 0n && isWithin(a, b, tolerance))) return "equal";
  return (a.den !== 1n || b.den !== 1n) && isWithin(a, b, NEAR_MILLIONTHS) ? "unknown" : "different";
}
