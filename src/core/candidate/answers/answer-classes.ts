// Groups answers into equivalence classes: answers that the rules find equal, either directly or through
// other answers.

import { type EquivalenceRules, type ReadAnswer, readAnswer } from "./compare-answers.ts";
import { compareNumbers, orderNumbers, type Rational } from "./exact-number.ts";

/**
 * Maps each number's key to the key of the smallest number in its class. Sorted numbers are compared only
 * with their predecessor, so distant numbers can be in one class through the numbers between them. Takes n
 * log n comparisons.
 */
function joined(read: readonly ReadAnswer[], tolerance: bigint): ReadonlyMap<string, string> {
  const numbers = new Map<string, Rational>();
  for (const { form } of read) if (form?.kind === "number") numbers.set(form.number.key, form.number);
  const ordered = [...numbers.values()].sort((a, b) => Number(a.percent) - Number(b.percent) || orderNumbers(a, b));
  const first = new Map<string, string>();
  for (const [i, number] of ordered.entries()) {
    const before = ordered[i - 1];
    const isOne = before !== undefined && compareNumbers(before, number, tolerance) === "equal";
    first.set(number.key, isOne ? (first.get(before.key) as string) : number.key);
  }
  return first;
}

/**
 * Returns the class of each answer: the same string for equivalent answers, and null for an answer that the
 * rules cannot read. The tolerance applies only to plain numbers; lists, sets and quantities must be exactly
 * equal.
 */
export function answerClasses(
  answers: readonly (string | null)[],
  { type, tolerance }: EquivalenceRules,
): (string | null)[] {
  const read = answers.map((answer) =>
    answer === null ? { key: null, form: null, isDecidable: false } : readAnswer(answer, type),
  );
  if (tolerance === 0n) return read.map(({ key }) => key);
  const first = joined(read, tolerance);
  return read.map(({ key, form }) => (form?.kind === "number" ? `number ${first.get(form.number.key)}` : key));
}
