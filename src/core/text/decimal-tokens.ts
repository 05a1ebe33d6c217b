// Compares printed numbers by value, exactly or within a tolerance. Takes time linear in the number of
// digits, even for very long numbers and very large exponents.

/** A decimal number with the value 0.DIGITS * 10^point. Zero has no digits. */
interface Decimal {
  negative: boolean;
  /** Significant digits, without leading and trailing zeros. */
  digits: string;
  point: number;
  /** Whether the number was written without a fraction and without an exponent. */
  isInteger: boolean;
}

const DECIMAL = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?)(\d{1,15}))?$/;
/** Leading zeros indicate fixed-width notation, as in times, dates and binary codes. */
const PADDED = /^[+-]?0\d/;

/** Number of significant digits that are used for comparing within a tolerance. */
const PRECISION = 40;

/**
 * Default absolute or relative error: testlib's usual bound for answers with fractions (its checker rcmp6).
 */
export const TOLERANCE = 1e-6;

/**
 * Parses a decimal number. Returns null for anything else, such as words, `nan`, `inf`, hexadecimal numbers,
 * or digits with separators.
 */
function readDecimal(token: string): Decimal | null {
  const found = DECIMAL.exec(token);
  if (found === null) return null;
  const [, sign, whole = "", part, dotted, down, power] = found;
  const fraction = part ?? dotted ?? "";
  const all = whole + fraction;
  let from = 0;
  while (all[from] === "0") from++;
  let to = all.length;
  while (to > from && all[to - 1] === "0") to--;
  const exponent = Number(power ?? 0) * (down === "-" ? -1 : 1);
  const isInteger = !token.includes(".") && power === undefined;
  const digits = all.slice(from, to);
  const point = digits === "" ? 0 : whole.length - from + exponent;
  return { negative: sign === "-" && digits !== "", digits, point, isInteger };
}

const equals = (a: Decimal, b: Decimal) => a.negative === b.negative && a.point === b.point && a.digits === b.digits;

/** The value in units of 10^(top - PRECISION), rounded towards 0. */
function unitsBelow({ negative, digits, point }: Decimal, top: number): bigint {
  const count = PRECISION - (top - point);
  if (count <= 0 || digits === "") return 0n;
  const size = BigInt(digits.slice(0, count).padEnd(count, "0"));
  return negative ? -size : size;
}

/** Converts a tolerance to the fraction units / 10^places. */
function ratioOf(tolerance: number): { units: bigint; places: bigint } {
  const { digits, point } = readDecimal(tolerance.toString()) as Decimal;
  const places = digits.length - point;
  const units = BigInt(digits || "0");
  return places < 0 ? { units: units * 10n ** BigInt(-places), places: 0n } : { units, places: BigInt(places) };
}

/** Whether |actual - expected| <= tolerance * max(1, |expected|), as in testlib's doubleCompare. */
function isNear(expected: Decimal, actual: Decimal, tolerance: number): boolean {
  const top = Math.max(expected.point, actual.point, 1);
  const [a, b] = [unitsBelow(expected, top), unitsBelow(actual, top)];
  const size = a < 0n ? -a : a;
  const unit = top > PRECISION ? 0n : 10n ** BigInt(PRECISION - top);
  const difference = a > b ? a - b : b - a;
  const { units, places } = ratioOf(tolerance);
  return difference * 10n ** places <= units * (size > unit ? size : unit);
}

/**
 * Whether two tokens are numbers of equal value: exactly equal if `expected` is written as an integer,
 * otherwise within the absolute or relative tolerance. An expected number with leading zeros (`007`) is not
 * treated as a number.
 */
export function sameNumber(expected: string, actual: string, tolerance: number): boolean {
  if (PADDED.test(expected)) return false;
  const [a, b] = [readDecimal(expected), readDecimal(actual)];
  if (a === null || b === null) return false;
  return equals(a, b) || (!a.isInteger && tolerance > 0 && isNear(a, b, tolerance));
}
