// Holds what tokens cost by PRICES, and that the grammar takes what it documents and nothing else.
import { describe, expect, it } from "vitest";
import { costOf, parsePrices } from "../../src/core/load/prices.ts";

const prices = parsePrices('{"small": {"input": 0.05, "output": 0}, "large": {"input": 2, "output": 8}}');
const used = (model: string | null, asked: string | null, prompt_tokens: number, completion_tokens: number) => ({
  ...{ model, asked, prompt_tokens, completion_tokens },
});

describe("tokens cost", () => {
  it("what the price of their model says, per million", () => {
    const cost = costOf([used("small", null, 1_000_000, 5), used("large", "small", 500_000, 250_000)], prices);
    expect(cost).toEqual({ usd: 3.05, unpriced_tokens: 0, usd_most: 3.05 });
  });

  it("by the name that was asked for, where the reply's has no price or there was none", () => {
    expect(costOf([used("large-2026-10-01", "large", 1_000_000, 0)], prices).usd).toBe(2);
    expect(costOf([used(null, "small", 1_000_000, 0)], prices).usd).toBe(0.05);
  });

  it("nothing that is known without a price, and at most the highest", () => {
    const cost = costOf([used("other", null, 1_000_000, 1_000_000), used("small", null, 1_000_000, 0)], prices);
    expect(cost).toEqual({ usd: 0.05, unpriced_tokens: 2_000_000, usd_most: 10.05 });
    expect(costOf([used("other", null, 1, 1)], new Map())).toEqual({ usd: 0, unpriced_tokens: 2, usd_most: 0 });
    expect(costOf([], prices)).toEqual({ usd: 0, unpriced_tokens: 0, usd_most: 0 });
  });
});

describe("PRICES", () => {
  it.each([
    "small",
    "[]",
    '{"small": 1}',
    '{"small": {"input": 1}}',
    '{"small": {"input": 1, "output": -1}}',
    '{"small": {"input": 1, "output": null}}',
    '{"small": {"input": 1, "output": "1"}}',
    '{"small": {"input": 1, "output": 1e7}}',
    '{"small": {"input": 1, "output": 1, "cached": 1}}',
    '{"": {"input": 1, "output": 1}}',
  ])("%s is refused", (text) => expect(() => parsePrices(text)).toThrow());
});
