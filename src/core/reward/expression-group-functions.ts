// Group functions of reward expressions, one entry each, and the arithmetic helpers shared with
// expression-functions.ts.

import type { ValueRange } from "../asking/signal-value.ts";
import { LIMITS } from "../faults/limits.ts";
import { square } from "../math/elementary.ts";
import { rankShares } from "../math/tau-b.ts";

/**
 * A function over the group: maps the members' numbers to new numbers in the same order. Members with a null
 * value are left out.
 */
interface GroupFunction {
  /** Number of arguments; default 1. */
  arity?: 2;
  /** Value range, given the first argument's range. */
  range(range: ValueRange): ValueRange;
  /** Range of intermediate results; see `PlainFunction.way`. */
  way?(range: ValueRange): ValueRange;
  /** Like `PlainFunction.evaluate`, but for all members of the group at once. */
  over(values: readonly number[], beside: readonly number[]): readonly number[];
}

export const TRUTH: ValueRange = [0, 1];
export const hull = (ranges: readonly ValueRange[]): ValueRange => [
  Math.min(...ranges.map(([low]) => low)),
  Math.max(...ranges.map(([, high]) => high)),
];
export const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
export const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);
/**
 * Applies a transform to a finite number. Returns NaN for any other number, which the transform might
 * otherwise hide.
 */
export const limited = (x: number, transform: (x: number) => number) =>
  Number.isFinite(x) ? transform(x) : Number.NaN;

const constantOver = (values: readonly number[], value: number) => values.map(() => value);
const minOf = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b));
const maxOf = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b));

/**
 * Mean, clamped to the extremes of the values: rounding could push it outside these and thus outside the
 * proved range.
 */
const groupMean = (values: readonly number[]) =>
  limited(mean(values), (centre) => clamp(centre, minOf(values), maxOf(values)));

/** Added to a group's standard deviation in `zscore`, to avoid division by zero. */
const ZSCORE_FLOOR = 1e-4;

function zscores(values: readonly number[]): number[] {
  if (minOf(values) === maxOf(values)) return values.map(() => 0);
  const centre = mean(values);
  const deviation = Math.sqrt(mean(values.map((value) => square(value - centre))));
  return values.map((value) => limited(deviation, () => (value - centre) / (deviation + ZSCORE_FLOOR)));
}

/** Largest possible distance of a value from the group's mean, in population standard deviations. */
const ZSCORE_MAX = Math.sqrt(LIMITS.rollouts_per_group_max - 1);

/** Range of a sum over a group of the maximum size. */
const sumRange = (range: ValueRange): ValueRange =>
  range.map((end) => end * LIMITS.rollouts_per_group_max) as [number, number];
/** Range of the sum of squared distances from the group's mean. */
const squaresRange = ([low, high]: ValueRange): ValueRange => sumRange([0, square(high - low)]);

/** Whether the range is a single number, so that all members are equal. */
const isPoint = ([low, high]: ValueRange): boolean => low === high;

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
   * Mean of the members whose second argument is not 0, minus the mean of the others; 0 if either set is
   * empty (Group Contrastive Masking of GCPO, arXiv 2506.07160).
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
