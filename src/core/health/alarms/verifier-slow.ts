// The alarm `verifier_slow`: the slowest answers take twice what they took at first, and over a second.
// A queue is slow for many steps in a row even in a steady run, so the rise is tested against the
// variance that
// neighbouring steps share.
import { mean, percentile } from "../../math/stats.ts";
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { significant } from "../sentence.ts";
import { FIRST_STEPS } from "../trend.ts";

/** Steps that are compared with the first ones. */
const LAST = 10;
/** A smaller time is taken as this: below a second nothing is slow. */
const LEAST_MS = 500;
/** Standard errors of a rise, because the test is made at each step. */
const SURE = 4;
/** Steps between values that correlate little; the greater of the two variances counts. */
const APART = [10, 20];
/** How much the noise of few steps may be underestimated, over the square root of their number. */
const UNSURE = 3;
/** Largest correlation that counts as noise; above it a series drifts. */
const MEMORY_MAX = 0.97;
/** Steps after which the noise is estimated anew. */
const ANEW = 25;

interface LatencyNoise {
  /** Standard deviation of a step's log time. */
  std: number;
  /** Correlation with the step before, 0 to `MEMORY_MAX`. */
  memory: number;
}

/**
 * LatencyNoise of a series with at most few shifts, as an autoregression of order 1: variances by
 * medians of differences, of
 * which a shift touches few.
 */
function noiseOf(values: readonly number[]): LatencyNoise {
  const spread = (apart: number) => {
    const off = values.slice(apart).map((value, i) => Math.abs(value - (values[i] as number)));
    // The median of a normal variable's absolute value is 0.6745 standard deviations.
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

/** Variance of the mean of `count` neighbours, as a multiple of one value's. */
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
  rule: "over ten steps the p99 of answers (median over groups, geometric mean over steps) is twice that of the first 50 steps, over a second, and 4 standard errors above it, which allow for slow steps in a row",
  ends_at: "1.5 times",
  needs: "60 steps in which the judge answered",
  look_at: "the verifier's queue and its `/metrics`",
  marked_on: ["time to an answer"],
  groups_by: ["p99, ms", "most"],
});
