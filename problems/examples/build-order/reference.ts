// The reference solution of build-order: repeated choice of the smallest free name.

/** Input text to output text; quadratic in the number of jobs, which keeps the tie-break rule in plain sight. */
export function solve(input: string): string {
  const words = input.split(/\s+/).filter(Boolean);
  const n = Number(words[0]);
  const waiting = new Map(words.slice(2, 2 + n).map((name) => [name, new Set<string>()]));
  const pairs = words.slice(2 + n);
  for (let at = 0; at + 1 < pairs.length; at += 2) waiting.get(pairs[at + 1] ?? "")?.add(pairs[at] ?? "");
  const order: string[] = [];
  while (waiting.size > 0) {
    const free = [...waiting].filter(([, before]) => before.size === 0).map(([name]) => name);
    const next = free.sort()[0];
    if (next === undefined) return "CYCLE";
    order.push(next);
    waiting.delete(next);
    for (const before of waiting.values()) before.delete(next);
  }
  return order.join(" ");
}
