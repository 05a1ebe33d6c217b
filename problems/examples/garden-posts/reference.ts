// The reference solution of garden-posts: Pick's theorem over BigInt.

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

/** Input text to output text; inside = area - fence/2 + 1 (Pick), computed doubled so that all is whole. */
export function solve(input: string): string {
  const [n = 0n, ...xy] = input.trim().split(/\s+/).map(BigInt);
  const corner = (i: number): [bigint, bigint] => {
    const at = 2 * (i % Number(n));
    return [xy[at] ?? 0n, xy[at + 1] ?? 0n];
  };
  let doubled = 0n;
  let fence = 0n;
  for (let i = 0; i < Number(n); i += 1) {
    const [x, y] = corner(i);
    const [u, v] = corner(i + 1);
    doubled += x * v - u * y;
    fence += gcd(u - x, v - y);
  }
  return String(((doubled < 0n ? -doubled : doubled) - fence + 2n) / 2n);
}
