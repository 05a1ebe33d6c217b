// Arrival processes: rates, burstiness, seeds, bounds.
import { describe, expect, it } from "vitest";
import { mean, populationStd } from "../../../src/core/math/stats.ts";
import { type Arrivals, arrivalTimes } from "../../loadtest/arrivals.ts";

const MOST = 1_000_000;
const gaps = (times: readonly number[]) => times.slice(1).map((at, i) => at - (times[i] as number));
/** Squared coefficient of variation: 0 for even spacing, 1 for Poisson. */
const burstiness = (values: readonly number[]) => (populationStd(values) / mean(values)) ** 2;

describe("arrivalTimes", () => {
  it("spaces constant arrivals evenly from the start", () => {
    expect(arrivalTimes({ process: "constant", rate: 4 }, 1, 1, MOST)).toEqual([0, 250, 500, 750]);
  });

  it("draws Poisson gaps with the rate's mean and a variation of 1", () => {
    const times = arrivalTimes({ process: "poisson", rate: 500 }, 200, 3, MOST);
    // 100,000 expected; four standard deviations of a Poisson count.
    expect(Math.abs(times.length - 100_000)).toBeLessThan(4 * Math.sqrt(100_000));
    expect(burstiness(gaps(times))).toBeCloseTo(1, 1);
  });

  it.each([0.25, 1, 4])(
    "draws gamma gaps of shape %s with the same mean and a variation of one over the shape",
    (shape) => {
      const times = arrivalTimes({ process: "gamma", rate: 500, shape }, 200, 5, MOST);
      expect(Math.abs(times.length - 100_000)).toBeLessThan(4 * Math.sqrt(100_000 / shape));
      expect(burstiness(gaps(times)) * shape).toBeCloseTo(1, 1);
    },
  );

  it.each([
    [10, 90],
    [90, 10],
    [0, 100],
  ])("ramps from %s to %s with the integral's count and the ends' rates", (from, to) => {
    const times = arrivalTimes({ process: "ramp", from, to }, 100, 1, MOST);
    expect(Math.abs(times.length - 5000)).toBeLessThanOrEqual(1);
    const inFirstTenth = times.filter((at) => at < 10_000).length;
    expect(inFirstTenth).toBeCloseTo(10 * (from + 0.05 * (to - from)), -1);
  });

  it("replays a trace up to the duration", () => {
    expect(arrivalTimes({ process: "trace", at_s: [0, 0.5, 0.5, 2] }, 2, 1, MOST)).toEqual([0, 500, 500]);
  });

  it.each<Arrivals>([
    { process: "poisson", rate: 100 },
    { process: "gamma", rate: 100, shape: 0.3 },
  ])("gives $process the same times for the same seed, ascending, and others for another", (arrivals) => {
    const times = arrivalTimes(arrivals, 5, 11, MOST);
    expect(times).toEqual(arrivalTimes(arrivals, 5, 11, MOST));
    expect(times).not.toEqual(arrivalTimes(arrivals, 5, 12, MOST));
    expect(gaps(times).every((gap) => gap >= 0)).toBe(true);
  });

  it("refuses more arrivals than allowed", () => {
    expect(() => arrivalTimes({ process: "constant", rate: 10 }, 2, 1, 19)).toThrow("more than 19 arrivals in 2 s");
  });
});
