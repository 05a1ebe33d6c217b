// Decides which of several answers count as one: those that the rules find equal, through others too.

import { type EquivalenceRules, type ReadAnswer, readAnswer } from "./compare-answers.ts";
import { compareNumbers, orderNumbers, type Rational } from "./exact-number.ts";

/**
 * By number, the least that it is one with: in order each is compared with the one before, so that
 * two far ones may be one through those between. n log n comparisons.
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
 * By answer its class, the same text for those that are one; null for what rules could not read.
 * Within a tolerance only plain numbers are one; lists, sets and quantities are exactly equal.
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
