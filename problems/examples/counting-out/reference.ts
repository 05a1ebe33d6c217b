// The reference solution of counting-out: arithmetic on a shrinking array, in BigInt.

/** Input text to output text. */
export function solve(input: string): string {
  const [n = 0n, m = 1n, ...counts] = input.trim().split(/\s+/).map(BigInt);
  const circle = Array.from({ length: Number(n) }, (_, i) => i + 1);
  const left: number[] = [];
  let begin = 0n;
  for (let round = 0; circle.length > 0; round += 1) {
    const count = counts[round % Number(m)] ?? 1n;
    begin = (begin + count - 1n) % BigInt(circle.length);
    left.push(...circle.splice(Number(begin), 1));
  }
  return left.join(" ");
}
