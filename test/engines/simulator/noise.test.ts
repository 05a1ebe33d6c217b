// The noise model's statistics against its parameters: 20,000 seeded draws, each share within 4
// standard errors.
import { describe, expect, test } from "vitest";
import {
  type Draw,
  drawVerdict,
  letterProbabilities,
  passRateOf,
} from "../../../gpu-backend/engines/simulator/noise.ts";
import {
  MODEL_NAMES,
  type NoiseParameters,
  noiseParameters,
} from "../../../gpu-backend/engines/simulator/parameters.ts";
import { createRandom } from "../../../src/core/math/random.ts";

const DRAWS = 20_000;
const SIGMAS = 4;

function draws(rates: readonly number[], noise: NoiseParameters, count = DRAWS): Draw[] {
  const candidates = rates.map((rate, i) => ({ code: `# pass_rate=${rate}\nprint(${i})`, language: "python" }));
  const prompt = { question: "q", candidates, form: "exact_match" as const };
  return Array.from({ length: count }, (_, seed) => drawVerdict(prompt, noise, String(seed)));
}

function expectShare(hits: number, p: number, count = DRAWS): void {
  expect(Math.abs(hits / count - p)).toBeLessThanOrEqual(SIGMAS * Math.sqrt((p * (1 - p)) / count) + 1e-12);
}

const logit = (p: number) => Math.log(p / (1 - p));

describe.each(MODEL_NAMES)("%s", (name) => {
  const noise = noiseParameters(name);

  test.each([
    [0, 0],
    [0.5, 0.4],
    [0.2, 1],
    [1, 0],
  ])("pass rates %d and %d: A is chosen as often as the formula says", (a, b) => {
    const [first = 0] = letterProbabilities([a, b], noise);
    expectShare(draws([a, b], noise).filter(({ choice }) => choice === 0).length, first);
  });

  test("five candidates: each letter is chosen as often as the formula says", () => {
    const rates = [0.1, 0.9, 1, 0.4, 0.6];
    const expected = letterProbabilities(rates, noise);
    expect(expected.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
    const all = draws(rates, noise);
    expected.forEach((p, i) => {
      expectShare(all.filter(({ choice }) => choice === i).length, p);
    });
  });

  test("without lapses the log-odds are discrimination times gap, plus the bias for A and minus it for B", () => {
    const sure = { ...noise, lapse_rate: 0 };
    const [asA = 0] = letterProbabilities([0.7, 0.4], sure);
    const [, asB = 0] = letterProbabilities([0.4, 0.7], sure);
    expect(logit(asA)).toBeCloseTo(noise.discrimination * 0.3 + noise.position_bias, 9);
    expect(logit(asB)).toBeCloseTo(noise.discrimination * 0.3 - noise.position_bias, 9);
  });

  test("equal candidates show the position bias", () => {
    const sure = { ...noise, lapse_rate: 0 };
    const share = 1 / (1 + Math.exp(-noise.position_bias));
    expectShare(draws([0.5, 0.5], sure).filter(({ choice }) => choice === 0).length, share);
  });

  test("answers parse, and loop, as often as stated", () => {
    const all = draws([0.3, 0.6], noise);
    expectShare(all.filter(({ ending }) => ending === "box").length, noise.parse_rate);
    expectShare(all.filter(({ loops }) => loops).length, noise.loop_rate);
  });

  test("thinking lengths have the log-normal's quantiles and are cut at a budget as often as it says", () => {
    const lengths = draws([0.3, 0.6], noise)
      .map(({ thinking_tokens }) => thinking_tokens)
      .sort((a, b) => a - b);
    for (const [share, z] of [
      [0.05, -1.6449],
      [0.25, -0.6745],
      [0.5, 0],
      [0.75, 0.6745],
      [0.95, 1.6449],
      [0.99, 2.3263],
    ] as const) {
      const quantile = noise.thinking_median_tokens * Math.exp(noise.thinking_sigma * z);
      // Half a token for rounding.
      expectShare(lengths.filter((length) => length <= Math.round(quantile) + 0.5).length, share);
    }
    const z = Math.log(8_192 / noise.thinking_median_tokens) / noise.thinking_sigma;
    const cut = lengths.filter((length) => length > 8_192).length / DRAWS;
    expect(Math.abs(cut - (1 - normalCdf(z)))).toBeLessThan(0.005);
  });
});

test("the 14B preset is right on 80.0 % of lists of 2 to 5 with one correct program, as the paper's ListEM", () => {
  const accuracies = { "sim-1.5b": 0.58, "sim-7b": 0.74, "sim-14b": 0.8 };
  for (const name of MODEL_NAMES) {
    const random = createRandom(7);
    const lists = 40_000;
    let sum = 0;
    for (let i = 0; i < lists; i++) {
      const right = Math.floor(random() * (2 + (i % 4)));
      const rates = Array.from({ length: 2 + (i % 4) }, (_, k) => (k === right ? 1 : 0.9 * random()));
      sum += letterProbabilities(rates, noiseParameters(name))[right] as number;
    }
    // The mean of 40,000 probabilities: a standard error below 0.0015.
    expect(Math.abs(sum / lists - accuracies[name])).toBeLessThan(0.006);
  }
});

test("a draw is a function of its arguments, and seeds and texts change it", () => {
  const noise = noiseParameters("sim-7b");
  const [one, again] = [draws([0.2, 0.4], noise, 50), draws([0.2, 0.4], noise, 50)];
  expect(again).toEqual(one);
  expect(new Set(one.map(({ thinking_tokens }) => thinking_tokens)).size).toBeGreaterThan(40);
  expect(draws([0.2, 0.5], noise, 50).map((d) => d.thinking_tokens)).not.toEqual(one.map((d) => d.thinking_tokens));
});

test("scores follow the pass rates and stay in 0..10; the box is sharper for clearer cases", () => {
  const noise = noiseParameters("sim-14b");
  const all = draws([0.1, 0.9], noise, 5_000);
  const mean = (at: number) => all.reduce((sum, { scores }) => sum + (scores[at] as number), 0) / all.length;
  expect(mean(1)).toBeGreaterThan(mean(0) + 4);
  expect(all.every(({ scores }) => scores.every((s) => Number.isInteger(s) && s >= 0 && s <= 10))).toBe(true);
  const confidence = (list: Draw[]) =>
    list.reduce((sum, { box_logprobs, choice }) => sum + Math.exp(box_logprobs[choice] as number), 0) / list.length;
  expect(confidence(all)).toBeGreaterThan(confidence(draws([0.5, 0.5], noise, 5_000)));
});

test.each([
  ["# pass_rate=0.8\nx = 1", 0.8],
  ["int main() {} // pass_rate = 1", 1],
  ["-- pass_rate=.25", 0.25],
  ["x = 1  # pass_rate=0", 0],
  ["# pass_rate=1.0", 1],
])("the label of %j is %d", (code, rate) => {
  expect(passRateOf(code)).toBe(rate);
});

test("without a label, or with one out of range, a candidate's pass rate is a hash of its text, even in [0, 1)", () => {
  const rates = Array.from({ length: 4_000 }, (_, i) => passRateOf(`print(${i})`));
  expectShare(rates.filter((rate) => rate < 0.25).length, 0.25, 4_000);
  expect(passRateOf("# pass_rate=1.5")).not.toBe(1);
  expect(passRateOf("# pass_rate=2")).toBeLessThan(1);
  expect(passRateOf("print(1)")).toBe(rates[1]);
});

/** Abramowitz and Stegun 26.2.17, error below 7.5e-8. */
function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series.reduce((sum, b, i) => sum + b * t ** (i + 1), 0);
  return z >= 0 ? 1 - tail : tail;
}
