// The guarantees of /v1/verdicts' computation: order, sums, metrics, and every refusal naming its field.

import { describe, expect, it } from "vitest";
import { VerdictsReplySchema } from "../../src/core/contract/verdicts-reply.ts";
import { VerdictsRequestSchema } from "../../src/core/contract/verdicts-request.ts";
import { ApiError } from "../../src/core/faults/errors.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { rewardVerdicts } from "../../src/core/formulations/rewards.ts";
import { cpuMs } from "../harness/cpu-time.ts";

const T = "<think>\nok</think>";
const run = (formulation: string, items: unknown[], more: object = {}) =>
  rewardVerdicts(VerdictsRequestSchema.parse({ formulation, items, ...more }));
const refusal = (call: () => unknown) => {
  try {
    call();
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, errors: error.errors };
    throw error;
  }
  return null;
};

describe("rewards", () => {
  const overlong = { max_tokens: 100, cache_tokens: 20 };
  const reply = run(
    "list_em",
    [
      { text: `${T}\\boxed{B}`, candidates: 3, correct: 1, length_tokens: 80 },
      { text: `${T}\\boxed{B}`, candidates: 3, correct: 1, length_tokens: 90 },
      { text: `${T}\\boxed{A}`, pass_rates: [0.2, 1, 0.4], length_tokens: 1000 },
      { text: "no idea", candidates: 2, correct: 0, length_tokens: 0 },
    ],
    { overlong },
  );

  it("are content + format + overlong, in the items' order", () => {
    expect(reply.rewards).toEqual([1, 0.5, -1, -1]);
    expect(reply.items.map(({ components }) => components)).toEqual([
      { content: 1, format: 0, overlong: 0 },
      { content: 1, format: 0, overlong: -0.5 },
      { content: 0, format: 0, overlong: -1 },
      { content: 0, format: -1, overlong: 0 },
    ]);
    expect(reply.items.map(({ verdict, status, scores }) => [verdict, status, scores])).toEqual([
      ["B", "ok", null],
      ["B", "ok", null],
      ["A", "ok", null],
      [null, "no_box", null],
    ]);
  });

  it("come with metrics in which an unparsed verdict counts as wrong", () => {
    expect(reply.metrics.parse_rate).toBe(0.75);
    expect(reply.metrics.accuracy).toBe(0.5);
    expect(reply.metrics.reward_mean).toBe(-0.125);
    expect(reply.metrics.reward_std).toBeCloseTo(Math.sqrt((1.125 ** 2 + 0.625 ** 2 + 2 * 0.875 ** 2) / 4), 12);
  });

  it("fit the contract's reply", () => {
    expect(VerdictsReplySchema.safeParse({ ...reply, request_id: "r", logged: true, warnings: [] }).success).toBe(true);
  });

  it("beyond the limit without clamp keep falling", () => {
    const item = { text: `${T}\\boxed{B}`, candidates: 2, correct: 1, length_tokens: 140 };
    expect(run("pair_em", [item], { overlong: { ...overlong, clamp: false } }).rewards).toEqual([-2]);
  });

  it("of pairs with equal pass rates are given, but leave accuracy without a base", () => {
    const equal = { text: `${T}\\boxed{[5,5]}`, pass_rates: [0.5, 0.5] };
    const reply = run("pair_sc", [equal]);
    expect(reply.rewards[0]).toBeCloseTo(4.2, 12);
    expect(reply.metrics).toMatchObject({ accuracy: null, parse_rate: 1 });
    expect(run("pair_sc", [equal, { text: `${T}\\boxed{[4,10]}`, pass_rates: [0, 1] }]).metrics.accuracy).toBe(1);
  });

  it("of score formulations carry the robust scores and their best letter", () => {
    expect(run("pair_sc", [{ text: `${T}\\boxed{[8, 4]}`, pass_rates: [0.8, 0.4] }]).items[0]).toMatchObject({
      verdict: "A",
      scores: [8, 4],
      status: "ok",
    });
    const list = run("list_sc", [{ text: `${T}\\boxed{[1,2,11]}`, candidates: 3, correct: 2 }]).items[0];
    expect(list).toMatchObject({ reward: 1, verdict: null, scores: null, status: "out_of_range" });
  });

  it("of a text beyond its limit are those of a text that says nothing, with a status of its own", () => {
    const gold = { candidates: 3, correct: 1 };
    const long = `${T}\\boxed{B}${" ".repeat(LIMITS.verdict_text_bytes)}`;
    for (const formulation of ["list_em", "list_sc"]) {
      const { items, metrics } = run(formulation, [
        { text: long, ...gold },
        { text: "", ...gold },
      ]);
      expect(items[0]).toEqual({ ...items[1], status: "too_long" });
      expect(metrics).toMatchObject({ parse_rate: 0, accuracy: 0 });
    }
  });

  it("are the same however the items are batched", () => {
    const items = ["\\boxed{A}", "\\boxed{B}", "?", `${T}\\boxed{b}`].map((text) => ({
      text,
      candidates: 2,
      correct: 0,
    }));
    expect(items.flatMap((item) => run("pair_em", [item]).items)).toEqual(run("pair_em", items).items);
  });
});

describe("refusals", () => {
  const text = `${T}\\boxed{A}`;
  it.each([
    ["list_em", { text }, "candidates"],
    ["list_em", { text, candidates: 3 }, "correct"],
    ["list_em", { text, correct: 1 }, "candidates"],
    ["list_em", { text, candidates: 3, correct: 3 }, "correct"],
    ["list_em", { text, pass_rates: [1, 1, 0] }, "pass_rates"],
    ["list_em", { text, pass_rates: [1, 0], candidates: 3 }, "candidates"],
    ["list_em", { text, pass_rates: [1, 0], correct: 1 }, "correct"],
    ["list_sc", { text, pass_rates: [1, 0], correct: 5 }, "correct"],
    ["pair_em", { text, candidates: 3, correct: 1 }, "candidates"],
    ["pair_em", { text, pass_rates: [1, 0, 0.5] }, "pass_rates"],
    ["pair_sc", { text, candidates: 2, correct: 1 }, "pass_rates"],
    ["pair_sc", { text, pass_rates: [1, 0, 0.5] }, "pass_rates"],
  ])("%s of %j names the field %s", (formulation, item, field) => {
    const good = { text, pass_rates: [1, 0] };
    const refused = refusal(() => run(formulation, [good, item]));
    expect(refused?.code).toBe("invalid_request");
    expect(refused?.errors.map(({ path }) => path)).toEqual([`items[1].${field}`]);
  });

  it("a shared highest pass rate is settled by correct", () => {
    expect(run("list_em", [{ text, pass_rates: [1, 1, 0], correct: 0 }]).rewards).toEqual([1]);
    expect(run("list_em", [{ text, pass_rates: [1, 1, 0], correct: 1 }]).rewards).toEqual([0]);
  });

  it("overlong without a length names each item, up to the limit", () => {
    const items = Array.from({ length: 50 }, (_, i) => ({
      text,
      candidates: 2,
      correct: 0,
      ...(i === 0 ? { length_tokens: 5 } : {}),
    }));
    const refused = refusal(() => run("pair_em", items, { overlong: { max_tokens: 100, cache_tokens: 20 } }));
    expect(refused?.code).toBe("length_tokens_required");
    expect(refused?.errors).toHaveLength(LIMITS.validation_errors_max);
    expect(refused?.errors[0]?.path).toBe("items[1].length_tokens");
  });

  it("names at most the limit of faulty items and never echoes a text", () => {
    const items = Array.from({ length: 50 }, () => ({ text: "SECRET" }));
    const refused = refusal(() => run("list_em", items));
    expect(refused?.errors).toHaveLength(LIMITS.validation_errors_max);
    expect(JSON.stringify(refused)).not.toContain("SECRET");
  });
});

describe("speed", () => {
  it("65,536 items are rewarded far faster than the route may take for them", () => {
    const items = Array.from({ length: LIMITS.verdict_items_max }, (_, i) => ({
      text: `${T}\\boxed{${"AB"[i % 2]}}`,
      candidates: 2,
      correct: 0,
    }));
    const request = VerdictsRequestSchema.parse({ formulation: "pair_em", items });
    const start = cpuMs();
    expect(rewardVerdicts(request).metrics.accuracy).toBe(0.5);
    expect(cpuMs() - start).toBeLessThan(1000);
  });
});
