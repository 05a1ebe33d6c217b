// Defines what an expression's functions over the group are, and the arithmetic that both files of functions
// use. One entry each.

import type { ValueRange } from "../asking/signal-value.ts";
import { LIMITS } from "../faults/limits.ts";
import { square } from "../math/elementary.ts";
import { rankShares } from "../math/stats.ts";

/**
 * A function over the group: numbers in, numbers out, in the same order. Null members stay outside.
 */
interface GroupFunction {
  /** Arguments; absent: one. */
  arity?: 2;
  /** By the first argument's. */
  range(range: ValueRange): ValueRange;
  /** As `way` of a plain function. */
  way?(range: ValueRange): ValueRange;
  /** As `of` of a plain function, for each member. */
  over(values: readonly number[], beside: readonly number[]): readonly number[];
}

export const TRUTH: ValueRange = [0, 1];
export const hull = (ranges: readonly ValueRange[]): ValueRange => [
  Math.min(...ranges.map(([low]) => low)),
  Math.max(...ranges.map(([, high]) => high)),
];
export const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
export const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);
/** Limits a value to a number again where it is not finite. */
export const limited = (x: number, transform: (x: number) => number) =>
  Number.isFinite(x) ? transform(x) : Number.NaN;

const constantOver = (values: readonly number[], value: number) => values.map(() => value);
const minOf = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b));
const maxOf = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b));

/**
 * A rounded mean may lie outside its numbers, by which a range that was proved would not hold: it
 * is kept among them.
 */
const groupMean = (values: readonly number[]) =>
  limited(mean(values), (centre) => clamp(centre, minOf(values), maxOf(values)));

/** Added to a group's standard deviation in `zscore`. */
const ZSCORE_FLOOR = 1e-4;

function zscores(values: readonly number[]): number[] {
  if (minOf(values) === maxOf(values)) return values.map(() => 0);
  const centre = mean(values);
  const deviation = Math.sqrt(mean(values.map((value) => square(value - centre))));
  return values.map((value) => limited(deviation, () => (value - centre) / (deviation + ZSCORE_FLOOR)));
}

/** No value lies further from its group's mean, in population standard deviations. */
const ZSCORE_MAX = Math.sqrt(LIMITS.rollouts_per_group_max - 1);

/** The range of a sum over the largest group. */
const sumRange = (range: ValueRange): ValueRange =>
  range.map((end) => end * LIMITS.rollouts_per_group_max) as [number, number];
/** The range of the sum of squared distances from a group's mean. */
const squaresRange = ([low, high]: ValueRange): ValueRange => sumRange([0, square(high - low)]);

/** Where all numbers are the same, none differs from the others. */
const isPoint = ([low, high]: ValueRange): boolean => low === high;

/** Functions over the group. */
export const OVER_GROUP: Readonly<Record<string, GroupFunction>> = {
  centre: {
    range: (range) => (isPoint(range) ? [0, 0] : [range[0] - range[1], range[1] - range[0]]),
    way: sumRange,
    over: (values) => {
      const centre = groupMean(values);
      return values.map((value) => value - centre);
    },
  },
  zscore: {
    range: (range) => (isPoint(range) ? [0, 0] : [-ZSCORE_MAX, ZSCORE_MAX]),
    way: (range) => hull([sumRange(range), squaresRange(range)]),
    over: zscores,
  },
  /**
   * Mean of the members beside which a number is not 0, less that of the others: 0 where there are
   * none of either (Group Contrastive Masking of GCPO, arXiv 2506.07160).
   */
  contrast: {
    arity: 2,
    range: ([low, high]) => [Math.min(0, low - high), Math.max(0, high - low)],
    way: sumRange,
    over: (values, beside) => {
      const { true: having = [], false: lacking = [] } = Object.groupBy(values, (_, i) => `${beside[i] !== 0}`);
      const isBoth = having.length > 0 && lacking.length > 0;
      return constantOver(values, isBoth ? groupMean(having) - groupMean(lacking) : 0);
    },
  },
  rank: { range: (range) => (isPoint(range) ? [0, 0] : TRUTH), over: rankShares },
  gmean: {
    range: (range) => range,
    way: sumRange,
    over: (values) => constantOver(values, groupMean(values)),
  },
  gmin: { range: (range) => range, over: (values) => constantOver(values, minOf(values)) },
  gmax: { range: (range) => range, over: (values) => constantOver(values, maxOf(values)) },
};
