// Exponentials, logarithms, powers and cosines with portable results. Every engine computes the same bits,
// which `Math.exp` and similar functions do not guarantee: only + - * /, square roots and bit operations on
// doubles are used, all of which IEEE 754 defines exactly. Errors are about one unit in the last place.

const CELL = new DataView(new ArrayBuffer(8));

/** 2^k for -1022 <= k <= 1023. */
function powerOfTwo(k: number): number {
  CELL.setUint32(0, (k + 1023) << 20);
  CELL.setUint32(4, 0);
  return CELL.getFloat64(0);
}

/** x 2^k, rounded only once, for |k| <= 2044. */
function scaled(x: number, k: number): number {
  const half = Math.trunc(k / 2);
  return k >= -1022 && k <= 1023 ? x * powerOfTwo(k) : x * powerOfTwo(half) * powerOfTwo(k - half);
}

/** ln 2 in two parts. The first part has 32 bits, so that its product with an exponent is exact. */
const LN2_HIGH = 2977044471 / 4294967296;
const LN2_LOW = 1.9082149292705877e-10;
const LN2 = Math.LN2;

/** 1/3!, 1/4!, ..., 1/14!. */
const FACTORIALS = Array.from({ length: 12 }, (_, k) => 1 / factorial(k + 3));

function factorial(n: number): number {
  let product = 1;
  for (let k = 2; k <= n; k++) product *= k;
  return product;
}

/** e^r - 1 - r for |r| <= ln 2 / 2, by the Taylor series. The first omitted term is below 2^-60. */
function afterLinear(r: number): number {
  let sum = 0;
  for (let k = FACTORIALS.length - 1; k >= 0; k--) sum = sum * r + (FACTORIALS[k] as number);
  return r * r * (0.5 + r * sum);
}

/** e^x. */
export function exp(x: number): number {
  if (Number.isNaN(x)) return Number.NaN;
  if (x > 709.79) return Number.POSITIVE_INFINITY;
  if (x < -745.14) return 0;
  const k = Math.round(x / LN2);
  const high = x - k * LN2_HIGH;
  const low = k * LN2_LOW;
  const r = high - low;
  const linear = 1 + r;
  // The parts that were lost in the two roundings.
  const rest = high - r - low + (r - (linear - 1));
  return scaled(linear + (afterLinear(r) + rest), k);
}

/** e^x - 1, accurate near 0. */
function expm1(x: number): number {
  return Math.abs(x) <= LN2 / 2 ? x + afterLinear(x) : exp(x) - 1;
}

/** 1/3, 1/5, ..., 1/25. */
const ODD = Array.from({ length: 12 }, (_, k) => 1 / (2 * k + 3));

/** The natural logarithm. -Infinity for 0, NaN for negative numbers. */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  // x = m 2^e with m from sqrt(1/2) to sqrt(2).
  const normal = x < 2.2250738585072014e-308;
  CELL.setFloat64(0, normal ? x * 18014398509481984 : x);
  const top = CELL.getUint32(0);
  CELL.setUint32(0, (top & 0xfffff) | 0x3ff00000);
  let m = CELL.getFloat64(0);
  let e = (top >>> 20) - 1023 - (normal ? 54 : 0);
  if (m > Math.SQRT2) {
    m /= 2;
    e++;
  }
  // ln m = 2 (s + s^3 / 3 + s^5 / 5 + ..) = f - s (f - 2 s^2 (1/3 + s^2 / 5 + ..)).
  const f = m - 1;
  const s = f / (2 + f);
  const square = s * s;
  let sum = 0;
  for (let k = ODD.length - 1; k >= 0; k--) sum = sum * square + (ODD[k] as number);
  const tail = s * (f - 2 * square * sum);
  return e === 0 ? f - tail : e * LN2_HIGH + (f - (tail - e * LN2_LOW));
}

/** ln(1 + x), accurate near 0 (Kahan). */
export function log1p(x: number): number {
  const sum = 1 + x;
  if (sum === 1 || sum === Number.POSITIVE_INFINITY) return x;
  return log(sum) * (x / (sum - 1));
}

/** The logarithm to base 2, exact for powers of two. */
export function log2(x: number): number {
  const value = log(x) / LN2;
  const near = Math.round(value);
  return near >= -1022 && near <= 1023 && powerOfTwo(near) === x ? near : value;
}

export function tanh(x: number): number {
  const size = Math.abs(x);
  if (size > 22) return Math.sign(x);
  const above = expm1(2 * size);
  return Math.sign(x) * (above / (above + 2));
}

/** sigma(x) = 1 / (1 + e^-x), without overflow on either side. */
export function sigmoid(x: number): number {
  const small = exp(-Math.abs(x));
  return (x >= 0 ? 1 : small) / (1 + small);
}

/** x^2 by multiplication, because the result of `x ** 2` depends on the engine. */
export const square = (x: number): number => x * x;

/** Largest exponent that is computed by squaring. Larger ones use exp and log. */
const SQUARED_MOST = 1024;

/** x^y, like `**`. Integer and half-integer powers use multiplication and square roots. */
export function power(x: number, y: number): number {
  if (y === 0) return 1;
  if (Number.isInteger(y) && Math.abs(y) <= SQUARED_MOST) return y < 0 ? 1 / wholePower(x, -y) : wholePower(x, y);
  if (Number.isInteger(2 * y) && Math.abs(y) <= SQUARED_MOST) return power(x < 0 ? Number.NaN : Math.sqrt(x), 2 * y);
  if (x < 0 && !Number.isInteger(y)) return Number.NaN;
  const size = x === 1 ? 1 : exp(y * log(Math.abs(x)));
  return x < 0 && y % 2 !== 0 ? -size : size;
}

function wholePower(x: number, n: number): number {
  let product = 1;
  for (let [rest, square] = [n, x]; rest > 0; rest = Math.floor(rest / 2), square *= square)
    if (rest % 2 === 1) product *= square;
  return product;
}

/** pi/2 in three parts. Products of the first two with numbers below 2^20 are exact. */
const QUARTER = [1686629713 / 1073741824, 280256794 / 2147483648 / 2147483648, 8.333742918520878e-20] as const;

/** The cosine of an angle in radians, for |x| below 10^6. */
export function cos(x: number): number {
  const quarters = Math.round(Math.abs(x) / (Math.PI / 2));
  const r = Math.abs(x) - quarters * QUARTER[0] - quarters * QUARTER[1] - quarters * QUARTER[2];
  const quadrant = quarters % 4;
  const value = quadrant % 2 === 0 ? series(r, 0) : series(r, 1);
  return quadrant === 1 || quadrant === 2 ? -value : value;
}

/** The sine of an angle in radians, for |x| below 10^6. */
export function sin(x: number): number {
  return cos(x - Math.PI / 2);
}

/** Taylor series of cos (`from` 0) or sin (`from` 1) for |r| <= pi/4. */
function series(r: number, from: 0 | 1): number {
  const square = r * r;
  let sum = 0;
  for (let k = 18 + from; k > from; k -= 2) sum = ((1 + sum) * -square) / (k * (k - 1));
  return from === 0 ? 1 + sum : r + r * sum;
}
