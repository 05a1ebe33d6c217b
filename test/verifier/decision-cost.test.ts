// Holds that POST /v1/specs/check predicts the calls to a decision model and their dollars, and bounds their
// input tokens, by comparison with judging texts of the same lengths.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type DecisionSimulator, startDecisionSimulator } from "../../scripts/stack/decision-simulator.ts";
import { parsePrices } from "../../src/core/load/prices.ts";
import { appOver, forget, strengthOf } from "./decision-setup.ts";

let model: DecisionSimulator;
beforeAll(async () => {
  model = await startDecisionSimulator(strengthOf, "clef");
});
afterAll(() => model.close());
afterEach(() => forget(model));

const PROMPT_TOKENS = 50;
const prices = parsePrices('{"@cf/cloudflare/clef": {"input": 0.09, "output": 0}}');

interface Checked {
  cost: { calls: number; generations: number; prompt_tokens: number; completion_tokens_max: number; usd: number };
  step: { groups: number; calls: number; prompt_tokens: number; usd: number };
}

const ROWS: [object, number, number, number][] = [
  [{ preset: "decide-pair" }, 4, 200, 1],
  [{ preset: "decide-pair" }, 8, 600, 1],
  [{ preset: "decide-pair", both_orders: true }, 8, 600, 2],
  [{ preset: "decide-pair", samples: 3 }, 8, 100, 3],
  [{ preset: "decide-pair" }, 16, 300, 2],
  [{ preset: "decide-pair", both_orders: true }, 16, 300, 4],
  // Splits by the window of 16,000 tokens.
  [{ preset: "decide-pair" }, 16, 1_500, 8],
  [{ preset: "decide-best", mode: "listwise", both_orders: true }, 12, 300, 2],
];

it.each(ROWS)("%j of %i rollouts of up to %i tokens is %i calls", async (judge, n, rollout_tokens, calls) => {
  const { post } = appOver(model, "systemone", { prices });
  const spec = { candidate: { extract: "whole" }, judge };
  const query = `n=${n}&groups=3&prompt_tokens=${PROMPT_TOKENS}&rollout_tokens=${rollout_tokens}`;
  const { cost, step } = (await (await post(`/v1/specs/check?${query}`, spec)).json()) as Checked;
  expect(model.states).toHaveLength(0);
  expect([cost.calls, step.calls]).toEqual([calls, 3 * calls]);
  expect(cost.completion_tokens_max).toBe(0);
  expect(step.usd).toBeCloseTo((step.prompt_tokens * 0.09) / 1e6, 9);

  const words = (tokens: number) => "word ".repeat(Math.ceil((4 * tokens) / 5)).slice(0, 4 * tokens - 12);
  const rollouts = Array.from({ length: n }, (_, i) => ({ text: `answer ${i + 1} ${words(rollout_tokens)}.` }));
  const groups = Array.from({ length: 3 }, (_, g) => ({ prompt: `${words(PROMPT_TOKENS)} ${g}`, rollouts }));
  const reply = await post("/v1/rewards", { spec, groups });
  const judged = (await reply.json()) as { cost: { calls: number; prompt_tokens: number; usd: number } };
  expect(judged.cost.calls).toBe(step.calls);
  expect(judged.cost.prompt_tokens).toBeLessThanOrEqual(step.prompt_tokens);
  expect(judged.cost.usd).toBeCloseTo((judged.cost.prompt_tokens * 0.09) / 1e6, 9);
});

it("a pair that does not fit by itself is no call", async () => {
  const { post } = appOver(model, "systemone", { prices });
  const reply = await post("/v1/specs/check?n=8&rollout_tokens=9000", { judge: { preset: "decide-pair" } });
  expect(((await reply.json()) as Checked).cost).toMatchObject({ calls: 0, prompt_tokens: 0, usd: 0 });
});

it("a step of 64 groups of 8 costs some four cents in one order at Clef-flash's price", async () => {
  const { post } = appOver(model, "workers-ai", { prices });
  const reply = await post("/v1/specs/check", { judge: { preset: "decide-pair" } });
  const { step } = (await reply.json()) as Checked;
  expect(step).toMatchObject({ groups: 64, calls: 64 });
  expect(step.usd).toBeGreaterThan(0.035);
  expect(step.usd).toBeLessThan(0.045);
});
