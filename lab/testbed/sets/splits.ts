// Decides which problem belongs to which split.
import { hashText } from "../../../src/core/math/random.ts";
import { SPLITS } from "../format/set-format.ts";

export type Split = (typeof SPLITS)[number];
/** The share of the problems that each split gets; they add up to 1. */
export type Shares = Record<Split, number>;

/**
 * Gives each problem one split, so that no problem is in two. Problems are ordered by a hash of the
 * seed and their id within their stratum (such as the languages they have), and dealt out so that
 * at every point each split is as near to its share as whole problems allow: each stratum is spread
 * over the splits alike. Throws RangeError when the shares do not add up to 1.
 */
export function assignSplits(
  problems: readonly { problem_id: string; stratum: string }[],
  shares: Shares,
  seed: number,
): Map<string, Split> {
  const total = SPLITS.reduce((sum, split) => sum + shares[split], 0);
  if (Math.abs(total - 1) > 1e-9) throw new RangeError(`the shares of the splits add up to ${total}, not 1`);
  const place = (problem_id: string): number => hashText("split", seed, problem_id)[0];
  const ordered = problems.toSorted(
    (a, b) =>
      (a.stratum < b.stratum ? -1 : a.stratum > b.stratum ? 1 : 0) ||
      place(a.problem_id) - place(b.problem_id) ||
      (a.problem_id < b.problem_id ? -1 : 1),
  );
  const given: Record<Split, number> = { train: 0, validation: 0, test: 0 };
  const splits = new Map<string, Split>();
  for (const [index, { problem_id }] of ordered.entries()) {
    const owed = (split: Split): number => shares[split] * (index + 1) - given[split];
    const split = SPLITS.reduce((best, each) => (owed(each) > owed(best) + 1e-9 ? each : best));
    given[split]++;
    splits.set(problem_id, split);
  }
  return splits;
}
