// Checks the cost sheet against sums computed by hand, and against a run's logged steps.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parsePrices } from "../../../src/core/load/prices.ts";
import { hostedStep, hostedUsd } from "../../cost/hosted.ts";
import { loadOfRun, StepsSchema } from "../../cost/run-steps.ts";
import {
  type Figures,
  FiguresSchema,
  type Item,
  type Load,
  type Prices,
  PricesSchema,
  sheetOf,
} from "../../cost/sheet.ts";

const committed = (name: string) => JSON.parse(readFileSync(`lab/cost/${name}`, "utf8"));
const prices: Prices = PricesSchema.parse(committed("prices.json"));
const FIGURES: Figures = {
  ...{ command: "by hand", commit: "none", cpu_ms_request: 5, cpu_ms_generation: 0.1 },
  ...{ row_bytes_request: 10_000, row_bytes_generation: 500 },
};
const LOAD: Load = {
  ...{ requests: 64, groups: 64, generations: 7_680, step_s: 45, steps_a_day: 200, days: 30, gathered: false },
  ...{ gpus: 8, gpus_always: false, compute_units: 0.25 },
};
const costs = (load: Load) => {
  const sheet = sheetOf(load, FIGURES, prices);
  const of = (item: Item) => sheet.lines.find((line) => line.item === item) as (typeof sheet.lines)[number];
  return { sheet, of };
};

it("matches a month of 6,000 steps of 64 groups computed by hand", () => {
  const { sheet, of } = costs(LOAD);
  // 64 requests and one call of the log's consumer: 65 x 6,000 of the 10 million included.
  expect(of("workers_requests")).toMatchObject({ step: 65, month: 390_000, month_cost: 0 });
  // 64 x 5 + 7,680 x 0.1 = 1,088 ms a step; 6.528 million a month of 30 million included.
  expect(of("workers_cpu_ms").step).toBeCloseTo(1_088, 9);
  expect(of("workers_cpu_ms").step_cost).toBeCloseTo((1_088 * 0.02) / 1e6, 12);
  expect(of("workers_cpu_ms").month_cost).toBe(0);
  // 64 x 10,000 + 7,680 x 500 = 4.48 MB: 70 operations of 64 KB, three times; 1.26 million, 1 included.
  expect(of("queue_operations")).toMatchObject({ step: 210, month: 1_260_000 });
  expect(of("queue_operations").month_cost).toBeCloseTo(0.26 * 0.4, 9);
  expect(of("object_requests").month_cost).toBe(0);
  // 4.48 MB x 6,000 = 26.88 GB at 0.35; 0.25 units x 720 hours at 0.14.
  expect(of("neon_gb_months").month_cost).toBeCloseTo(26.88 * 0.35, 9);
  expect(of("neon_cu_hours").month_cost).toBeCloseTo(180 * 0.14, 9);
  // 8 GPUs x 45 s x 6,000 / 3,600 = 600 hours at 3.5.
  expect(of("gpu_hours").month_cost).toBeCloseTo(2_100, 9);
  const month = 5 + 0.104 + 9.408 + 25.2 + 2_100;
  expect(sheet.month_cost).toBeCloseTo(month, 6);
  expect(sheet.day_cost).toBeCloseTo(month / 30, 6);
  const step = (65 * 0.3 + 1_088 * 0.02 + 210 * 0.4 + 64 * 0.15 + 64 * 1) / 1e6 + 0.00448 * 0.35 + 0.1 * 3.5;
  expect(sheet.step_cost).toBeCloseTo(step, 9);
});

it("matches gathered samples, GPUs paid between steps and usage above the included quotas, computed by hand", () => {
  const load = { ...LOAD, requests: 1_024, gathered: true, gpus_always: true, steps_a_day: 1_000 };
  const { of } = costs(load);
  // Each sample is a request of the Worker and of its room: (1,024 + 11) x 30,000 = 31.05 million.
  expect(of("workers_requests").month_cost).toBeCloseTo((31.05 - 10) * 0.3, 6);
  expect(of("object_requests").month_cost).toBeCloseTo((2_048 * 30_000 - 1e6) * 0.15e-6, 6);
  // 64 rooms x 45 s x 0.128 GB x 30,000 = 11.0592 million GB-s, 0.4 included.
  expect(of("object_gb_s").month_cost).toBeCloseTo((11.0592 - 0.4) * 12.5, 6);
  // 8 GPUs for 30 days, whatever the steps: 5,760 hours.
  expect(of("gpu_hours").month).toBeCloseTo(5_760, 6);
  expect(of("gpu_hours").month_cost).toBeCloseTo(20_160, 6);
});

it("uses a run's own steps from its log", () => {
  const row = (first_at: string, generations: number) => ({
    ...{ step: 1, first_at, requests: 4, groups: 4, rollouts: 32, generations, completion_tokens: 10 * generations },
    prompt_tokens: 100 * generations,
    ...{ parse_rate: 1, errors: {} },
  });
  const body = { run_id: "r", steps: [row("2026-11-25T10:00:00.000Z", 100), row("2026-11-25T10:06:00.000Z", 124)] };
  const { steps } = StepsSchema.parse(body);
  expect(loadOfRun(steps)).toEqual({
    ...{ requests: 4, groups: 4, rollouts: 32, generations: 112, completion_tokens: 1_120 },
    prompt_tokens: 11_200,
    steps_a_day: 240,
  });
  expect(loadOfRun(steps.slice(0, 1)).steps_a_day).toBeNull();
  expect(() => StepsSchema.parse({ steps: [] })).toThrow("the run has no steps");
});

it("prices a hosted model's tokens by PRICES, with the calls of POST /v1/specs/check", () => {
  const judge = { schedule: "round_robin", samples: 1, max_tokens: 100 };
  const step = hostedStep({ groups: 64, rollouts: 8, preset: "decide-pair", ...judge });
  // A call has 300 tokens of prompt and 600 of each of 8 answers, and 28 pairs of some 55.
  expect(step).toMatchObject({ generations: 64 * 28, completion_tokens: 0 });
  expect(step.prompt_tokens / 64).toBeGreaterThan(300 + 8 * 600 + 28 * 55);
  expect(step.prompt_tokens / 64).toBeLessThan(7_200);
  const chat = hostedStep({ groups: 64, rollouts: 8, preset: "text-select", ...judge });
  expect(chat.prompt_tokens).toBeGreaterThan(64 * 28 * 1_500);
  expect(chat.completion_tokens).toBe(64 * 28 * 100);

  const known = parsePrices('{"clef": {"input": 0.09, "output": 0}, "gpt": {"input": 1, "output": 10}}');
  const usd = hostedUsd(step, "clef", known);
  expect(usd).toBeCloseTo((step.prompt_tokens * 0.09) / 1e6, 9);
  expect(() => hostedUsd(step, "other", known)).toThrow("PRICES has no price for the model other");
  expect(() => hostedStep({ groups: 1, rollouts: 8, preset: "nope", ...judge })).toThrow();

  const { sheet, of } = costs({ ...LOAD, gpus: 0, hosted: { tokens: step.prompt_tokens, usd } });
  expect(of("model_tokens")).toMatchObject({ step_cost: usd, month_cost: usd * 6_000 });
  const without = costs({ ...LOAD, gpus: 0 }).sheet;
  expect(sheet.month_cost - without.month_cost).toBeCloseTo(usd * 6_000, 9);
});

it("has every price with its source and date, and refuses a list that lacks one", () => {
  for (const { source, published } of Object.values(prices.prices)) expect([source, published]).not.toContain("");
  const { gpu_hours: _, ...fewer } = prices.prices;
  expect(PricesSchema.safeParse({ ...prices, prices: fewer }).success).toBe(false);
  expect(FiguresSchema.safeParse(committed("figures.json")).success).toBe(true);
});
