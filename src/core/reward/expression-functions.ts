// Operators and per-rollout functions of reward expressions: arity, value range and evaluation, one entry
// each.

import type { ValueRange } from "../asking/signal-value.ts";
import { LIMITS } from "../faults/limits.ts";
import { cos, exp, log, power, sigmoid } from "../math/elementary.ts";
import { clamp, hull, limited, mean, OVER_GROUP, TRUTH } from "./expression-group-functions.ts";

/** An operator or function over the values of one rollout. */
interface PlainFunction {
  arity: readonly [least: number, most: number];
  /** Positions of arguments that must be literal numbers. */
  constant?: readonly number[];
  /**
   * Returns an error message if the constants are invalid, else null.
   * @param constants literal arguments by position; null for arguments that are not literal
   */
  refuse?(constants: readonly (number | null)[]): string | null;
  /** Describes the domain if arguments within the ranges may lie outside it, else null. */
  domain?(ranges: readonly ValueRange[]): string | null;
  range(ranges: readonly ValueRange[]): ValueRange;
  /** Range of the intermediate results, if it can exceed the final range. */
  way?(ranges: readonly ValueRange[]): ValueRange;
  /**
   * Returns a non-finite number if any intermediate result is not finite; the rollout then has no value (code
   * `unbounded`).
   */
  evaluate(values: readonly number[], step: number): number;
  /** Whether the function needs the request's `step`. */
  step?: true;
}

const truth = (holds: boolean) => (holds ? 1 : 0);
const sign = (predicate: (a: number, b: number) => boolean): PlainFunction => ({
  arity: [2, 2],
  range: () => TRUTH,
  evaluate: ([a = 0, b = 0]) => truth(predicate(a, b)),
});

/** Interval product: 0 times an infinite bound is 0, because the factor is exactly 0 there. */
const times = (a: number, b: number) => (a === 0 || b === 0 ? 0 : a * b);

function corners(combine: (a: number, b: number) => number, [a, b]: readonly ValueRange[]): ValueRange {
  const [low, high] = [a as ValueRange, b as ValueRange];
  const values = low.flatMap((x) => high.map((y) => combine(x, y)));
  return [Math.min(...values), Math.max(...values)];
}

const difference = (ranges: readonly ValueRange[]): ValueRange => corners((a, b) => a - b, ranges);

/** A monotone function of one argument. */
const monotone = (transform: (x: number) => number): PlainFunction => ({
  arity: [1, 1],
  range: ([x]) => {
    const ends = (x as ValueRange).map(transform) as [number, number];
    return [Math.min(...ends), Math.max(...ends)];
  },
  evaluate: ([x = 0]) => transform(x),
});

/** Restricts a function to the domain that `holds` accepts; `takes` describes the domain. */
const within = (plain: PlainFunction, takes: string, holds: (range: ValueRange) => boolean): PlainFunction => ({
  ...plain,
  domain: ([x]) => (holds(x as ValueRange) ? null : takes),
});

/**
 * Range of a power. NaN if the power is undefined: a base that may be negative needs a whole exponent, and a
 * base that may be 0 needs a non-negative one.
 */
function powerRange([low, high]: ValueRange, exponent: number): ValueRange {
  const whole = Number.isInteger(exponent);
  if ((low < 0 && !whole) || (exponent < 0 && low <= 0 && high >= 0)) return [Number.NaN, Number.NaN];
  const ends = [power(low, exponent), power(high, exponent)];
  const turns = low < 0 && high > 0 && exponent > 0 && exponent % 2 === 0;
  return [turns ? 0 : Math.min(...ends), Math.max(...ends)];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

const extreme = (combine: (...values: number[]) => number): PlainFunction => ({
  arity: [2, LIMITS.expression_nodes],
  range: (ranges) => [combine(...ranges.map(([low]) => low)), combine(...ranges.map(([, high]) => high))],
  evaluate: (values) => combine(...values),
});
const average = (evaluate: (values: readonly number[]) => number): PlainFunction => ({
  arity: [1, LIMITS.expression_nodes],
  range: (ranges) => [evaluate(ranges.map(([low]) => low)), evaluate(ranges.map(([, high]) => high))],
  evaluate,
});

/** Clamps x between two numbers, to undo rounding errors. */
const between = (x: number, from: number, to: number) =>
  limited(x, () => clamp(x, Math.min(from, to), Math.max(from, to)));

/** Half a cosine wave: `from` for x <= 0, `to` for x >= 1. */
const cosine = (x: number, from: number, to: number) =>
  between(to + ((from - to) * (1 + cos(Math.PI * clamp(x, 0, 1)))) / 2, from, to);

/** Linear interpolation between two steps, constant outside them. */
function anneal(from: number, to: number, first: number, last: number, step: number): number {
  const share = limited(last - first, (span) => clamp((step - first) / span, 0, 1));
  return between(from + (to - from) * share, from, to);
}

/** Upper bound of fp + fn; beyond this, the correction amplifies noise more than fivefold. */
const NOISE_MAX = 0.8;

/** Operators and per-rollout functions. `if` is handled separately, since only the branch taken counts. */
export const PLAIN: Readonly<Record<string, PlainFunction>> = {
  "+": { arity: [2, 2], range: (r) => corners((a, b) => a + b, r), evaluate: ([a = 0, b = 0]) => a + b },
  "-": { arity: [2, 2], range: difference, evaluate: ([a = 0, b = 0]) => a - b },
  "*": { arity: [2, 2], range: (r) => corners(times, r), evaluate: ([a = 0, b = 0]) => a * b },
  "/": {
    arity: [2, 2],
    constant: [1],
    refuse: ([, divisor]) => (divisor === 0 ? "the divisor must not be 0" : null),
    range: (r) => corners((a, b) => a / b, r),
    evaluate: ([a = 0, b = 1]) => a / b,
  },
  "^": {
    arity: [2, 2],
    constant: [1],
    domain: ([base, [exponent]]: readonly ValueRange[] & { 1: ValueRange }) =>
      powerRange(base as ValueRange, exponent).some(Number.isNaN)
        ? "a base of at least 0 if the exponent is not an integer, and a base other than 0 if the exponent is negative"
        : null,
    range: ([base, [exponent]]: readonly ValueRange[] & { 1: ValueRange }) => powerRange(base as ValueRange, exponent),
    evaluate: ([a = 0, b = 1]) => power(a, b),
  },
  "-1": monotone((x) => 0 - x),
  "+1": monotone((x) => x),
  "<": sign((a, b) => a < b),
  "<=": sign((a, b) => a <= b),
  ">": sign((a, b) => a > b),
  ">=": sign((a, b) => a >= b),
  "==": sign((a, b) => a === b),
  "!=": sign((a, b) => a !== b),
  and: sign((a, b) => a !== 0 && b !== 0),
  or: sign((a, b) => a !== 0 || b !== 0),
  not: { arity: [1, 1], range: () => TRUTH, evaluate: ([x = 0]) => truth(x === 0) },
  min: extreme(Math.min),
  max: extreme(Math.max),
  abs: {
    arity: [1, 1],
    range: ([x]) => {
      const [low, high] = x as ValueRange;
      const ends = [Math.abs(low), Math.abs(high)];
      return [low <= 0 && high >= 0 ? 0 : Math.min(...ends), Math.max(...ends)];
    },
    evaluate: ([x = 0]) => Math.abs(x),
  },
  floor: monotone(Math.floor),
  ceil: monotone(Math.ceil),
  exp: within(monotone(exp), "numbers of at most 709", ([, high]) => Number.isFinite(exp(high))),
  sqrt: within(monotone(Math.sqrt), "numbers of at least 0", ([low]) => low >= 0),
  log: within(monotone(log), "numbers above 0", ([low]) => low > 0),
  clamp: {
    arity: [3, 3],
    constant: [1, 2],
    refuse: ([, low, high]) =>
      (low as number) > (high as number) ? "clamp's upper bound is below its lower bound" : null,
    range: ([x, [low], [high]]: readonly ValueRange[] & { 1: ValueRange; 2: ValueRange }) =>
      (x as ValueRange).map((end) => clamp(end, low, high)) as [number, number],
    evaluate: ([x = 0, low = 0, high = 0]) => clamp(x, low, high),
  },
  sigmoid: monotone(sigmoid),
  // PAR (preference as reward): a reward centred on a reference, then squashed.
  par: {
    arity: [2, 2],
    range: (r) => corners((x, ref) => sigmoid(x - ref), r),
    way: difference,
    evaluate: ([x = 0, ref = 0]) => limited(x - ref, sigmoid),
  },
  cosine: {
    arity: [3, 3],
    constant: [1, 2],
    range: ([, from, to]) => hull([from as ValueRange, to as ValueRange]),
    way: ([, from, to]) => difference([from as ValueRange, to as ValueRange]).map((end) => end * 2) as [number, number],
    evaluate: ([x = 0, from = 0, to = 0]) => cosine(x, from, to),
  },
  anneal: {
    arity: [4, 4],
    constant: [2, 3],
    refuse: ([, , first, last]) =>
      (first as number) < (last as number) ? null : "anneal's last step must be after its first",
    range: ([from, to]) => hull([from as ValueRange, to as ValueRange]),
    way: ([from, to, first, last]) =>
      hull([difference([to as ValueRange, from as ValueRange]), difference([last as ValueRange, first as ValueRange])]),
    evaluate: ([from = 0, to = 0, first = 0, last = 1], step) => anneal(from, to, first, last, step),
    step: true,
  },
  // Backward correction of a noisy binary reward (formulas; arXiv 2510.00915).
  correct: {
    arity: [3, 3],
    constant: [1, 2],
    refuse: ([, fp, fn]) =>
      (fp as number) < 0 || (fn as number) < 0 || (fp as number) + (fn as number) > NOISE_MAX
        ? `correct's rates must be at least 0, and their sum at most ${NOISE_MAX}`
        : null,
    range: ([x, [fp], [fn]]: readonly ValueRange[] & { 1: ValueRange; 2: ValueRange }) =>
      (x as ValueRange).map((end) => (end - fp) / (1 - fp - fn)) as [number, number],
    evaluate: ([x = 0, fp = 0, fn = 0]) => (x - fp) / (1 - fp - fn),
  },
  mean: average(mean),
  median: average(median),
};

const isBounded = (range: ValueRange): boolean => range.every(Number.isFinite);
const written = ([low, high]: ValueRange): string => `${low} to ${high}`;

/**
 * Describes how the arguments' ranges leave the domain of an operator or function; null if they do not. Also
 * reports overflow: bounded arguments must give a bounded value.
 */
export function leftDomain(name: string, args: readonly ValueRange[], value: () => ValueRange): string | null {
  const takes = PLAIN[name]?.domain?.(args) ?? null;
  const [first = [0, 0]] = args;
  if (takes !== null) return `requires ${takes}; the range of its argument is ${written(first)}`;
  if (!args.every(isBounded)) return null;
  const way = PLAIN[name]?.way?.(args) ?? OVER_GROUP[name]?.way?.(first) ?? first;
  return isBounded(value()) && isBounded(way) ? null : "its value overflows";
}
