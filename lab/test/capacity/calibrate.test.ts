// Tests how a load test's results calibrate the capacity model, and how its flags define engines.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { calibrated, calibratedBy } from "../../capacity/calibrate.ts";
import { readFlags, settingOf } from "../../capacity/flags.ts";
import { STANDARD } from "../../capacity/setting.ts";
import type { Summary } from "../../loadtest/summary-schema.ts";

/** A load at which this many generations of 100 tokens ran, each token in 10 ms and 0.1 ms a stream. */
function pointAt(streams: number, overloaded: string[] = []) {
  const generation = 100 * (10 + 0.1 * streams);
  const rate = streams / (generation / 1_000);
  const target = {
    ...{ generations_per_s: { value: rate }, rewards_per_s: { value: rate / 2 } },
    ...{ completion_tokens_per_reward: 200, prompt_tokens_per_reward: 3_000 },
    split_ms: { edge: 12, network: 30, generation },
  };
  return { target, overloaded };
}
const summaryOf = (...points: ReturnType<typeof pointAt>[]) => ({ points }) as unknown as Summary;

it("takes the edge's time, the tokens and the engine's pace by load from the measurements", () => {
  const { engine, tokens, ...rest } = calibratedBy(STANDARD, summaryOf(pointAt(10), pointAt(40)));
  expect(rest.client_rtt_s).toBeCloseTo(0.03, 9);
  expect(rest.edge_before_s + rest.edge_after_s).toBeCloseTo(0.012, 9);
  expect(tokens.mean).toBeCloseTo(100, 6);
  expect(tokens.template + tokens.question + 2 * tokens.candidate).toBeCloseTo(1_500, 0);
  expect(engine.step_overhead_s + engine.weights_read_s).toBeCloseTo(0.01, 6);
  expect((engine.kv_read_s * (1_500 + 50)) / STANDARD.gpus).toBeCloseTo(0.0001, 8);
});

it("ignores overloaded points, and names unreadable input", () => {
  const held = calibratedBy(STANDARD, summaryOf(pointAt(10), pointAt(40), pointAt(400, ["p99"])));
  expect(held).toEqual(calibratedBy(STANDARD, summaryOf(pointAt(10), pointAt(40))));
  const none = pointAt(10);
  none.target.generations_per_s.value = 0;
  expect(() => calibratedBy(STANDARD, summaryOf(none))).toThrow("recorded no generation times");
  const folder = mkdtempSync(join(tmpdir(), "kritai-calibrate-"));
  expect(() => calibrated(STANDARD, folder)).toThrow("no summary.json");
  rmSync(folder, { recursive: true });
});

it("creates engines with the given rates", () => {
  const rates = ["--prefill-rate=20000", "--decode-rate=100", "--full-rate=3200", "--slots=48", "--no-prefix-cache"];
  const { engine, tokens, noise } = settingOf(readFlags([...rates, "--thinking-tokens=1000"]));
  expect([engine.sequences_max, engine.prefix_cache, noise.thinking_median_tokens]).toEqual([48, false, 1_000]);
  expect(engine.token_compute_s).toBeCloseTo(1 / 20_000, 12);
  expect(engine.step_overhead_s + engine.weights_read_s).toBeCloseTo(0.01, 12);
  const context = tokens.template + tokens.question + 2 * tokens.candidate + 500;
  expect(64 / (0.01 + 64 * context * engine.kv_read_s)).toBeCloseTo(3_200, 6);
  expect(() => settingOf(readFlags(["--decode-rate=10", "--full-rate=6400"]))).toThrow("--full-rate 6400");
});
