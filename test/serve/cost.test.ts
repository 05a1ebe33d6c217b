// The cost sheet: its formula against figures worked by hand, its laws, and what it says of bad
// flags.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runCostSheet } from "../../gpu-backend/serve/cost.ts";
import { type CostInput, comparisonsOf, costOf } from "../../gpu-backend/serve/cost-model.ts";
import fc from "../harness/property.ts";
import { SERVE } from "./records.ts";

const BASE: CostInput = {
  tokens_per_second: 12_000,
  prefill_tokens_per_second: null,
  price: 3.5,
  gpus: 1,
  group: 16,
  mode: "pairwise",
  both_orders: false,
  samples: 1,
  prompt_tokens: 1800,
  completion_tokens: 2500,
  prefix_hit: 0.6,
  saved: 0,
  utilisation: 1,
};

const NEEDED = ["--tokens-per-second", "12000", "--price", "3.5"];
const sheet = (...flags: string[]) => runCostSheet([...NEEDED, ...flags]);

describe("the cost of a group", () => {
  it("is 120 generations of 720 + 2,500 tokens at 12,000 a second: 32.2 s, 3.13 cents, 1.957 dollars per 1,000 rewards", () => {
    const cost = costOf(BASE);
    expect(cost).toMatchObject({ comparisons_per_group: 120, generations_per_group: 120 });
    expect(cost.prompt_tokens_per_group).toBeCloseTo(86_400, 6);
    expect(cost.completion_tokens_per_group).toBe(300_000);
    expect(cost.seconds_per_group).toBeCloseTo(32.2, 9);
    expect(cost.dollars_per_group).toBeCloseTo((32.2 * 3.5) / 3600, 12);
    expect(cost.dollars_per_1000_rewards).toBeCloseTo(1.9566, 5);
    expect(cost.rewards_per_hour).toBeCloseTo((3600 * 16) / 32.2, 6);
  });

  it.each([
    [{ group: 2 }, 1],
    [{ group: 64 }, 2016],
    [{ group: 16, both_orders: true }, 240],
    [{ group: 5, mode: "listwise" as const }, 1],
  ])("%j asks %i comparisons", (change, comparisons) => {
    expect(comparisonsOf({ ...BASE, ...change })).toBe(comparisons);
  });

  it("counts prefill apart where its own rate was measured", () => {
    const cost = costOf({ ...BASE, prefill_tokens_per_second: 86_400, tokens_per_second: 10_000 });
    expect(cost.seconds_per_group).toBeCloseTo(1 + 30, 9);
  });

  it("is nothing at no price, and all paid time when the engine is idle half of it", () => {
    expect(costOf({ ...BASE, price: 0 }).dollars_per_1000_rewards).toBe(0);
    const half = costOf({ ...BASE, utilisation: 0.5 });
    expect(half.dollars_per_group).toBeCloseTo(2 * costOf(BASE).dollars_per_group, 12);
    expect(half.rewards_per_hour).toBeCloseTo(costOf(BASE).rewards_per_hour / 2, 9);
    expect(half.seconds_per_group).toBe(costOf(BASE).seconds_per_group);
  });

  it("refuses a group that has nothing to compare, and a list that the API would refuse", () => {
    expect(() => costOf({ ...BASE, group: 1 })).toThrow("2 rollouts");
    expect(() => costOf({ ...BASE, group: 6, mode: "listwise" })).toThrow("at most 5 candidates, not 6");
  });

  it("is proportional to price, GPUs and samples, and never grows with a better cache or more saved", () => {
    const share = fc.double({ min: 0, max: 0.99, noNaN: true });
    const input = fc.record({
      price: fc.double({ min: 0.01, max: 100, noNaN: true }),
      group: fc.integer({ min: 2, max: 64 }),
      samples: fc.integer({ min: 1, max: 16 }),
      prefix_hit: share,
      saved: share,
    });
    fc.assert(
      fc.property(input, share, (change, less) => {
        const at = (more: Partial<CostInput>) => costOf({ ...BASE, ...change, ...more }).dollars_per_1000_rewards;
        const near = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(a, b);
        expect(near(at({ price: change.price * 3 }), 3 * at({}))).toBe(true);
        expect(near(at({ gpus: 4 }), 4 * at({}))).toBe(true);
        expect(near(at({ samples: change.samples * 2 }), 2 * at({}))).toBe(true);
        const higher = (x: number) => x + (0.999 - x) * less;
        expect(at({ prefix_hit: higher(change.prefix_hit) })).toBeLessThanOrEqual(at({}) * (1 + 1e-12));
        expect(at({ saved: higher(change.saved) })).toBeLessThanOrEqual(at({}) * (1 + 1e-12));
      }),
    );
  });
});

describe("the command", () => {
  it("prints the sheet, from a shell, with the defaults filled in", () => {
    const flags = ["--group", "16", "--mode", "pairwise", "--samples", "1", "--prompt-tokens", "1800"];
    const run = spawnSync(
      process.execPath,
      [`${SERVE}cost.ts`, ...NEEDED, ...flags, "--completion-tokens", "2500", "--prefix-hit", "0.6"],
      { encoding: "utf8" },
    );
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toMatch(/^generations per group +120$/m);
    expect(run.stdout).toMatch(/^dollars per 1,000 rewards +1\.957$/m);
    expect(run.stdout.trimEnd()).toBe(sheet("--prefix-hit", "0.6").text);
  });

  it("gives the same figures as JSON", () => {
    const { status, text } = sheet("--prefix-hit", "0.6", "--json");
    expect(status).toBe(0);
    expect(JSON.parse(text)).toEqual(costOf(BASE));
  });

  it.each([
    [["--price", "3"], "--tokens-per-second is required"],
    [[...NEEDED, "--tokens-per-second", "0"], "--tokens-per-second must be a number above 0, not '0'"],
    [[...NEEDED, "--price=-1"], "--price must be a number from 0, not '-1'"],
    [[...NEEDED, "--price", "NaN"], "--price must be a number from 0, not 'NaN'"],
    [[...NEEDED, "--group", "1"], "--group must be an integer from 2 to 64, not '1'"],
    [[...NEEDED, "--group", "2.5"], "--group must be an integer from 2 to 64, not '2.5'"],
    [[...NEEDED, "--samples", "65"], "--samples must be an integer from 1 to 64, not '65'"],
    [[...NEEDED, "--mode", "swiss"], "--mode must be pairwise or listwise, not 'swiss'"],
    [[...NEEDED, "--prefix-hit", "60"], "--prefix-hit must be a share from 0 to 1, not '60'"],
    [[...NEEDED, "--saved", "1"], "--saved must be a share from 0 to 0.99, not '1'"],
    [[...NEEDED, "--utilisation", "0"], "--utilisation must be a share from 0.001 to 1, not '0'"],
    [[...NEEDED, "--mode", "listwise"], "one list holds at most 5 candidates, not 16"],
    [[...NEEDED, "--colour"], "--colour"],
    [[...NEEDED, "12"], "takes no arguments"],
    [["--tokens-per-second"], "--tokens-per-second"],
  ])("says of %j: %s", (argv, sentence) => {
    const { status, text } = runCostSheet(argv);
    expect(status).toBe(2);
    expect(text).toContain(sentence);
    expect(text).toContain("usage: ");
  });

  it("names every fault at once", () => {
    const { text } = runCostSheet(["--price", "x", "--group", "0"]);
    expect(text).toMatch(/--tokens-per-second is required\n--price must be .*\n--group must be /);
  });

  it("explains itself when asked", () => {
    const { status, text } = runCostSheet(["--help"]);
    expect([status, text.startsWith("usage: ")]).toEqual([0, true]);
  });
});
