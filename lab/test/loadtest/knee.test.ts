// The knee, the sweep's next rate and the frontier, on made-up points; the interval over repeats.
import { describe, expect, it } from "vitest";
import { headlineOf } from "../../../lab/loadtest/headline.ts";
import { tInterval } from "../../../lab/loadtest/intervals.ts";
import {
  frontierOf,
  KNEE_RULE,
  kneeOf,
  kneePlace,
  nextRate,
  overloadReasons,
  sweepRates,
} from "../../../lab/loadtest/knee.ts";
import { estimate, summariseSide } from "../../../lab/loadtest/side.ts";
import type { Point, Side } from "../../../lab/loadtest/summary-schema.ts";

const EMPTY = summariseSide([], 1000, { gpu_hour_price: null, gpus: 1, tokens_per_second: null });

function side(rate: number, p99: number, achieved = rate, failed = 0): Side {
  const p = estimate(p99, [p99, p99, p99]);
  return {
    ...EMPTY,
    requests: rate * 90,
    failed,
    offered_per_s: estimate(rate, [rate, rate, rate]),
    achieved_per_s: estimate(achieved, [achieved, achieved, achieved]),
    rewards_per_s: estimate(achieved * 4, []),
    latency_ms: { ...EMPTY.latency_ms, p99: p, mean: p, max: p99 },
  };
}

const point = (rate: number, overloaded: string[] = [], target = side(rate, 10)): Point => ({
  rate,
  concurrency: null,
  repeats: 3,
  target,
  baseline: null,
  overhead_ms: null,
  overloaded,
  baseline_degraded: [],
});

describe("overloadReasons", () => {
  const unloaded = side(10, 20);

  it("names p99 beyond three times the unloaded one, and nothing below it", () => {
    expect(overloadReasons(side(50, 60), unloaded, KNEE_RULE)).toEqual([]);
    expect(overloadReasons(side(50, 61), unloaded, KNEE_RULE)).toEqual(["p99 61 ms is above 3 times 20 ms"]);
  });

  it("does not take factors of a fast server's noise for overload", () => {
    expect(overloadReasons(side(50, 14), side(10, 0.3), KNEE_RULE)).toEqual([]);
  });

  it("names a shortfall beyond what a window's ends explain", () => {
    expect(overloadReasons(side(100, 20, 97.9), unloaded, KNEE_RULE)).toEqual([]);
    expect(overloadReasons(side(100, 20, 96), unloaded, KNEE_RULE)).toEqual([
      "achieved 96 of 100 offered requests per second",
    ]);
  });

  it("names failures above one in a hundred", () => {
    expect(overloadReasons(side(10, 20, 10, 9), unloaded, KNEE_RULE)).toEqual([]);
    expect(overloadReasons(side(10, 20, 10, 10), unloaded, KNEE_RULE)).toEqual(["10 of 900 failed"]);
  });
});

describe("a sweep", () => {
  const rates = sweepRates(10, 160, 5);

  it("climbs by a constant factor", () => {
    expect(rates.map(Math.round)).toEqual([10, 20, 40, 80, 160]);
  });

  it("stops after two overloaded rates and narrows the knee between the last good and the first bad", () => {
    const points: Point[] = [];
    const asked: number[] = [];
    for (let rate = nextRate(rates, points, 2); rate !== null; ) {
      asked.push(Math.round(rate));
      points.push(point(rate, rate > 30 ? ["slow"] : []));
      rate = nextRate(rates, points, 2);
    }
    expect(asked).toEqual([10, 20, 40, 80, 28, 34]);
    expect(kneeOf(points, KNEE_RULE).rate).toBeCloseTo(Math.sqrt(20 * 40), 6);
    expect(kneeOf(points, KNEE_RULE).overloaded_at).toBeCloseTo(Math.sqrt(Math.sqrt(20 * 40) * 40), 6);
  });

  it("takes every rate when none is overloaded, and has no narrowing to do", () => {
    const points: Point[] = [];
    for (let rate = nextRate(rates, points, 2); rate !== null; rate = nextRate(rates, points, 2))
      points.push(point(rate));
    expect(points.length).toBe(5);
    expect(kneeOf(points, KNEE_RULE)).toMatchObject({ rate: rates.at(-1), overloaded_at: null });
  });

  it("has its knee below the first overloaded rate even when a later one held by luck", () => {
    expect(kneeOf([point(10), point(40), point(20, ["slow"])], KNEE_RULE)).toMatchObject({
      rate: 10,
      overloaded_at: 20,
    });
    expect(kneeOf([point(10, ["slow"])], KNEE_RULE).rate).toBeNull();
  });

  it("reports no knee from fewer than 100 requests per rate, and says how many there were", () => {
    const few = { ...side(20, 10), requests: 36 };
    const knee = kneeOf([point(10), point(20, [], few), point(40, ["slow"])], KNEE_RULE);
    expect(knee).toMatchObject({ rate: null, overloaded_at: null, requests_few: 36 });
    expect(kneePlace(knee, String)).toBe(
      "unknown: only 36 requests at one of the rates; at least 100 are needed (--duration, --repeats)",
    );
    // One load alone has no knee to tell.
    expect(kneeOf([point(20, [], few)], KNEE_RULE)).toMatchObject({ requests_few: null });
  });
});

describe("frontierOf", () => {
  it("gives the highest achieved rate for each p99 limit, and null where no point is within it", () => {
    const points = [point(10, [], side(10, 4)), point(20, [], side(20, 40)), point(30, [], side(30, 45, 30, 500))];
    const of = (limit: number) => frontierOf(points, KNEE_RULE).find(({ p99_ms_max }) => p99_ms_max === limit);
    expect(of(1)).toMatchObject({ requests_per_s: null, rewards_per_s: null });
    expect(of(5)).toMatchObject({ requests_per_s: 10, rewards_per_s: 40 });
    // The third point failed too often to count.
    expect(of(50)).toMatchObject({ requests_per_s: 20 });
  });
});

describe("tInterval", () => {
  it("is Student's interval of the mean", () => {
    // mean 4, s = 1, t(2) = 4.303: 4 +- 4.303 / sqrt(3)
    const [low, high] = tInterval([3, 4, 5]) as [number, number];
    expect([low, high]).toEqual([expect.closeTo(1.5157, 4), expect.closeTo(6.4843, 4)]);
  });

  it("does not exist for one repeat", () => {
    expect(tInterval([3])).toBeNull();
  });
});

it("reports the achieved and the offered rate separately, and says that a p99 was not measured", () => {
  const none = estimate(null, []);
  const measured = side(10, 40, 9.2);
  const latency_ms = { ...measured.latency_ms, p50: estimate(20, [20]), p99: none };
  const drawn = { ...measured, latency_ms, requests: 50, offered_per_s: estimate(9.29, [9.29]) };
  const said = headlineOf({
    points: [point(10, [], drawn)],
    knee: { rate: null, overloaded_at: null, requests_few: null, rule: "" },
    load: { loop: "open" },
  } as never);
  const latency = "p50 20 ms, p99 not measured (50 requests; it needs 100)";
  expect(said).toBe(`Target 10/s: 9.29/s offered, 9.2/s achieved, ${latency}; none failed.`);
});
