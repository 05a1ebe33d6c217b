// The alarm `verifier_slow`: the slowest answers take over a second and over twice as long as in the first
// steps. Queueing delays are correlated between steps even in a steady run, so the significance test accounts
// for autocorrelation.
import { mean, percentile } from "../../math/stats.ts";
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { significant } from "../sentence.ts";
import { FIRST_STEPS } from "../trend.ts";

/** Number of steps in the window that is compared with the first steps. */
const LAST = 10;
/**
 * Shorter times are raised to this value, so that the alarm, at twice the baseline, needs more than a second.
 */
const LEAST_MS = 500;
/** Number of standard errors for significance. High, because the test is repeated at each step. */
const SURE = 4;
/** Lags, in steps, at which values correlate little; the lag with the greater variance is used. */
const APART = [10, 20];
/** Safety margin for noise that is estimated from few steps; divided by the square root of their number. */
const UNSURE = 3;
/** Largest autocorrelation that counts as noise; a series with a higher one is drifting. */
const MEMORY_MAX = 0.97;
/** Number of steps between two estimates of the noise. */
const ANEW = 25;

interface LatencyNoise {
  /** Standard deviation of the logarithm of the time per step. */
  std: number;
  /** Correlation with the previous step, from 0 to `MEMORY_MAX`. */
  memory: number;
}

/**
 * Noise of a series, modelled as an autoregression of order 1. Variances are estimated from medians of
 * differences, so that a few level shifts have little effect.
 */
function noiseOf(values: readonly number[]): LatencyNoise {
  const spread = (apart: number) => {
    const off = values.slice(apart).map((value, i) => Math.abs(value - (values[i] as number)));
    // The median absolute value of a normal variable is 0.6745 standard deviations.
    return (
      percentile(
        off.sort((a, b) => a - b),
        0.5,
      ) / 0.6745
    );
  };
  const near = spread(1);
  const far = Math.max(...APART.map(spread));
  const std = (Math.max(near, far) / Math.SQRT2) * (1 + UNSURE / Math.sqrt(values.length));
  return { std, memory: far === 0 ? 0 : Math.min(MEMORY_MAX, Math.max(0, 1 - (near / far) ** 2)) };
}

/** Variance of the mean of `count` consecutive values, relative to the variance of one value. */
const varianceOfMean = (count: number, memory: number) =>
  (1 + memory) / (1 - memory) / count - (2 * memory * (1 - memory ** count)) / (count * (1 - memory)) ** 2;

export const verifierSlow: Alarm = {
  name: "verifier_slow",
  bad: "above",
  alarm: 2,
  clear: 1.5,
  series(rows) {
    const known: number[] = [];
    let [first, doubt] = [0, 0];
    return column(rows, "latency_p99_ms").map((time) => {
      if (time === null) return null;
      known.push(Math.log(Math.max(time, LEAST_MS)));
      if (known.length < FIRST_STEPS + LAST) return null;
      if ((known.length - FIRST_STEPS - LAST) % ANEW === 0) {
        const { std, memory } = noiseOf(known);
        first = mean(known.slice(0, FIRST_STEPS));
        doubt = std * Math.sqrt(varianceOfMean(FIRST_STEPS, memory) + varianceOfMean(LAST, memory));
      }
      const rise = mean(known.slice(-LAST)) - first;
      return Math.exp(rise > SURE * doubt ? rise : Math.min(rise, 0));
    });
  },
  detail: ({ latency_p99_ms }) => ({ latency_p99_ms }),
  says: ({ value, row }) =>
    `the slowest answers (p99) take ${significant(value)} times as long as at first: ${significant((row.latency_p99_ms ?? 0) / 1000)} s`,
};

export const page = /* @__PURE__ */ documented(verifierSlow, {
  rule: "over ten steps, the p99 of the time to an answer (median over groups, geometric mean over steps) is over one second, twice that of the first 50 steps, and 4 standard errors above it; the standard error accounts for consecutive slow steps",
  ends_at: "1.5 times",
  needs: "60 steps in which the verifier answered",
  look_at: "the verifier's queue and its `/metrics`",
  marked_on: ["answer time"],
  groups_by: ["p99, ms", "most"],
});
