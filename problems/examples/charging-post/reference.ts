// The reference solution of charging-post: earliest end first.

/** Input text to output text; classic exchange argument for interval scheduling. */
export function solve(input: string): string {
  const numbers = input.split(/\s+/).filter(Boolean).map(Number);
  const slots = Array.from({ length: numbers[0] ?? 0 }, (_, i) => ({
    start: numbers[1 + 2 * i] ?? 0,
    end: numbers[2 + 2 * i] ?? 0,
  }));
  slots.sort((a, b) => a.end - b.end);
  let free = 0;
  let granted = 0;
  for (const { start, end } of slots) {
    if (start < free) continue;
    granted += 1;
    free = end;
  }
  return String(granted);
}
