// The reference solution of broken-stairs: one pass over the steps.

const MODULUS = 1_000_000_007;

/** Input text to output text; ways(i) = ways(i-1) + ways(i-2) + ways(i-3), 0 on a rotten step. */
export function solve(input: string): string {
  const [n = 0, k = 0, ...listed] = input.split(/\s+/).filter(Boolean).map(Number);
  const rotten = new Set(listed.slice(0, k));
  let [third, second, last] = [0, 0, 1];
  for (let step = 1; step <= n; step += 1) {
    const ways = rotten.has(step) ? 0 : (third + second + last) % MODULUS;
    [third, second, last] = [second, last, ways];
  }
  return String(last);
}
