// The presets against the tables of their README, and the arithmetic it shows.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  engineParameters,
  GPU_NAMES,
  MODEL_NAMES,
  type NoiseParameters,
  noiseParameters,
} from "../../../gpu-backend/engines/simulator/parameters.ts";
import { paceOf } from "../../../gpu-backend/engines/simulator/step-time.ts";

const readme = readFileSync(new URL("../../../gpu-backend/engines/simulator/README.md", import.meta.url), "utf8");
const rows = readme
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map((cells) => cells.slice(1, -1));

test("every engine preset is in the README as it is", () => {
  for (const model of MODEL_NAMES) {
    for (const gpu of GPU_NAMES) {
      const p = engineParameters(model, gpu);
      const rate = (streams: number) => 1 / paceOf(p, { streams, prefill_tokens: 0, context: streams * 3_000 }).step;
      const cells = rows.find(([name, on]) => name === model && on === gpu)?.slice(2);
      expect(cells).toEqual([
        (p.weights_read_s * 1e3).toPrecision(3),
        (p.token_compute_s * 1e6).toPrecision(3),
        (p.kv_read_s * 1e9).toPrecision(3),
        String(p.kv_tokens_max),
        (1 / p.token_compute_s).toFixed(0),
        rate(1).toFixed(0),
        rate(64).toFixed(0),
        (64 * rate(64)).toFixed(0),
      ]);
      expect(p.kv_tokens_max).toBeGreaterThan(p.context_tokens_max);
    }
  }
});

test("every noise preset is in the README as it is", () => {
  const lines: [string, keyof NoiseParameters][] = [
    ["discrimination", "discrimination"],
    ["lapse rate", "lapse_rate"],
    ["position bias", "position_bias"],
    ["parse rate", "parse_rate"],
    ["loop rate", "loop_rate"],
    ["thinking, median", "thinking_median_tokens"],
    ["thinking, sigma", "thinking_sigma"],
    ["box sharpness", "box_sharpness"],
  ];
  for (const [start, field] of lines) {
    const cells = rows.find(([name]) => name?.startsWith(start))?.slice(1, 4);
    expect(cells?.map(Number)).toEqual(MODEL_NAMES.map((name) => noiseParameters(name)[field]));
  }
});

test("the README's worked example: 14B on one H200", () => {
  const p = engineParameters("sim-14b", "h200");
  expect(p.weights_read_s).toBeCloseTo(29.54e9 / 3.84e12, 6);
  expect(p.token_compute_s).toBeCloseTo(29.54e9 / 494.5e12, 8);
  expect(p.kv_read_s).toBeCloseTo(196_608 / 3.84e12, 12);
});
