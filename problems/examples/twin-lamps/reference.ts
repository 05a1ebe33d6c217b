// The reference solution of twin-lamps: extended Euclid over BigInt.

/** [g, x] with a·x ≡ g (mod b) and g = gcd(a, b). */
function euclid(a: bigint, b: bigint): [bigint, bigint] {
  if (b === 0n) return [a, 1n];
  let [r0, r1, x0, x1] = [a, b, 1n, 0n];
  while (r1 !== 0n) {
    const quotient = r0 / r1;
    [r0, r1, x0, x1] = [r1, r0 - quotient * r1, x1, x0 - quotient * x1];
  }
  return [r0, x0];
}

/** Input text to output text; solves p + a·i ≡ q (mod b) and lifts the solution to max(p, q). */
export function solve(input: string): string {
  const [p = 0n, a = 1n, q = 0n, b = 1n] = input.trim().split(/\s+/).map(BigInt);
  const [g, x] = euclid(a, b);
  if ((q - p) % g !== 0n) return "NEVER";
  const lcm = (a / g) * b;
  const first = p + a * (((q - p) / g) * x);
  const [, earliest = 0n] = p < q ? [p, q] : [q, p];
  return String(earliest + ((((first - earliest) % lcm) + lcm) % lcm));
}
