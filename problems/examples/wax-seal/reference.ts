// The reference solution of wax-seal: Horner's rule in BigInt.

/** Input text to output text. */
export function solve(input: string): string {
  const [first = "", text = ""] = input.split("\n");
  const [base = 0n, modulus = 1n] = first.trim().split(" ").map(BigInt);
  let seal = 0n;
  for (const letter of text.trim()) seal = (seal * base + BigInt(letter.charCodeAt(0) - 96)) % modulus;
  return String(seal);
}
