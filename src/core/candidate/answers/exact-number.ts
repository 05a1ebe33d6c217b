// Owns numbers as people write answers, read exactly: integers, decimals, thousands, fractions,
// mixed numbers, powers of ten, percentages.

/** numerator / denominator in lowest terms, denominator > 0. */
export interface Rational {
  num: bigint;
  den: bigint;
  /** Written with a percent sign: comparable with another such only. */
  percent: boolean;
}

/** Beyond it a power of ten is not written out. */
const EXPONENT_MAX = 400;

const DIGITS = "(?:\\d{1,3}(?:,\\d{3})+|\\d+)";
const DECIMAL = `(?:${DIGITS}(?:\\.\\d*)?|\\.\\d+)`;
const POWER = "10\\s*\\^\\s*(?:\\{\\s*([+-]?\\d{1,4})\\s*\\}|([+-]?\\d{1,4}))";
const PLAIN = new RegExp(`^(${DECIMAL})(?:[eE]([+-]?\\d{1,4}))?$`);
const TIMES_POWER = new RegExp(`^(${DECIMAL})\\s*(?:\\\\times|\\\\cdot|[x*\u00d7])\\s*${POWER}$`);
const ONLY_POWER = new RegExp(`^${POWER}$`);
const SLASH = new RegExp(`^(?:(\\d+)\\s+)?(${DECIMAL})\\s*/\\s*(-?${DECIMAL})$`);
const FRAC = new RegExp(`^(\\d+)?\\s*\\\\frac\\s*\\{\\s*(-?${DECIMAL})\\s*\\}\\s*\\{\\s*(-?${DECIMAL})\\s*\\}$`);

type Ratio = readonly [num: bigint, den: bigint];

/** `1,234.50` as a ratio; a sign in front is allowed. */
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

/** whole + a / b, or a / b; a whole in front wants a proper fraction. null over zero. */
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
  const parts = SLASH.exec(text) ?? FRAC.exec(text);
  return parts === null ? null : fraction(parts[1], parts[2] as string, parts[3] as string);
}

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b));

/** The number that a plain answer is, or null. Commas count only between groups of three digits. */
export function readNumber(answer: string): Rational | null {
  const [, sign = "", body = "", percent] = /^([+-]?)\s*(.*?)\s*(\\?%)?$/s.exec(answer) ?? [];
  const ratio = unsigned(body);
  if (ratio === null) return null;
  const [num, den] = ratio;
  const common = divisor(num < 0n ? -num : num, den);
  return { num: (sign === "-" ? -num : num) / common, den: den / common, percent: percent !== undefined };
}

const size = (value: bigint): bigint => (value < 0n ? -value : value);

/** |a - b| <= share of the larger, with the share in millionths. */
export function isWithin(a: Rational, b: Rational, millionths: bigint): boolean {
  const [x, y] = [a.num * b.den, b.num * a.den];
  const room = (of: bigint) => size(x - y) * 1_000_000n <= size(of) * millionths;
  return room(x) || room(y);
}

/** 0.1 % of the larger: a rounded value, perhaps. */
const NEAR_MILLIONTHS = 1_000n;

/**
 * `equal` exactly, or within `tolerance` millionths of the larger; `unknown` for a percentage
 * against a number, and for what may be the other rounded; else `different`.
 */
export function compareNumbers(a: Rational, b: Rational, tolerance: bigint): "equal" | "different" | "unknown" {
  if (a.percent !== b.percent) return "unknown";
  if ((a.num === b.num && a.den === b.den) || (tolerance > 0n && isWithin(a, b, tolerance))) return "equal";
  const rounded = (a.den !== 1n || b.den !== 1n) && isWithin(a, b, NEAR_MILLIONTHS);
  return rounded ? "unknown" : "different";
}
