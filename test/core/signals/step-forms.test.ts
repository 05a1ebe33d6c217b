// The value of each step and of a rollout's steps, against published code and equations: progress,
// differences, weighted prefixes, log ratios; their ranges, and settings that do not go.
import { describe, expect, test } from "vitest";
import { compileSpec } from "../../../src/core/reward/compiled-spec.ts";
import { SignalsSpecSchema } from "../../../src/core/reward/signals-spec.ts";
import vectors from "../../vectors/published_rewards.json" with { type: "json" };
import { preparedOf, resultOf } from "./prepared.ts";

type Steps = readonly (number | null)[];
const of = (settings: object, rollout: object, group: object = {}) => {
  const { scores, details } = resultOf({ kind: "steps", ...settings }, [], {
    ...group,
    rollouts: [{ text: "t", ...rollout }],
  });
  return { value: scores[0], steps: details?.[0]?.steps as Steps, detail: details?.[0] };
};
const compiled = (signals: object, reward?: string) =>
  compileSpec(SignalsSpecSchema.parse({ signals, ...(reward !== undefined && { reward }) }), 8);

function near(found: Steps, expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  for (const [i, number] of expected.entries()) expect(found[i]).toBeCloseTo(number, 12);
}

test.each(vectors.differences.map((v, i) => [i, v] as const))("progress and delta, equations: %i", (_, v) => {
  const facts = [{ step_scores: v.scores }, { start_score: v.start }] as const;
  const progress = of({ per_step: "progress", reduce: "sum" }, ...facts);
  near(progress.steps, v.progress);
  expect(progress.value?.value).toBeCloseTo((v.scores.at(-1) as number) - v.start, 12);
  const delta = of({ per_step: "delta", reduce: "sum" }, ...facts);
  near(delta.steps, v.delta);
  expect(delta.value?.value).toBeCloseTo(v.scores[0] as number, 12);
  expect(of({ per_step: "progress" }, ...facts).value?.value).toBeCloseTo(Math.min(...v.progress), 12);
});

test.each(vectors.anytime.map((v, i) => [i, v] as const))(
  "weighted prefixes are AnytimeReasoner's return: %i",
  (_, v) => {
    const { value, steps } = of({ reduce: "weighted", weights: v.weights }, { step_scores: v.scores });
    expect(value?.value).toBeCloseTo(v.returns[0] as number, 12);
    // What is still to come at a budget is the sum from it on.
    near(
      steps.map((_share, i) => steps.slice(i).reduce<number>((sum, share) => sum + (share ?? 0), 0)),
      v.returns,
    );
  },
);

test("a rollout that ended before a budget has its last score there, and a prefix that nobody scored no share", () => {
  const weighted = { reduce: "weighted", weights: [1, 1, 2] };
  near(of(weighted, { step_scores: [0, 1] }).steps, [0, 0.75]);
  const partial = of(weighted, { step_scores: [1, null, 0.5] });
  expect(partial.value?.value).toBeCloseTo((1 + 2 * 0.5) / 3, 12);
  expect(partial.steps[1]).toBeNull();
  expect(of(weighted, { step_scores: [null, null] }).value).toEqual({ value: null, code: "no_steps" });
  // The step that counts has no score.
  expect(of({ reduce: "weighted", weights: [0, 1] }, { step_scores: [1, null] }).value).toEqual({
    value: null,
    code: "no_steps",
  });
});

test.each(vectors.prime.map((v, i) => [i, v] as const))(
  "log ratios are PRIME's: %i",
  (_, { tokens, whole, ...facts }) => {
    const { value, steps, detail } = of({ source: "log_ratio", beta: 1, reduce: "sum" }, facts);
    near(steps, tokens);
    expect(value?.value).toBeCloseTo(whole, 12);
    expect(detail).not.toHaveProperty("first_wrong");
    expect(of({ source: "log_ratio", reduce: "sum" }, facts).value?.value).toBeCloseTo(0.05 * whole, 12);
  },
);

test("a score that nobody gave has no neighbour's place", () => {
  const facts = [{ step_scores: [0.5, null, 0.75] }, { start_score: 0.25 }] as const;
  expect(of({ per_step: "progress", reduce: "sum" }, ...facts)).toMatchObject({
    value: { value: 0.5 },
    steps: [0.25, null, 0.25],
  });
  expect(of({ per_step: "delta" }, ...facts).steps).toEqual([-0.25, null, 0.75]);
});

describe("every value is in the proved range", () => {
  test.each([
    [{ reduce: "sum" }, [0, 1_024]],
    [{ reduce: "sum", per_step: "delta" }, [0, 1]],
    [{ reduce: "sum", per_step: "progress" }, [-1, 1]],
    [{ reduce: "softmin", per_step: "progress" }, [-1, 1]],
    [{ reduce: "weighted", weights: [1, 2] }, [0, 1]],
  ])("%j", (settings, range) => {
    expect(compiled({ s: { kind: "steps", ...settings } }).reward.range).toEqual(range);
    // Rounding errors stay inside.
    for (const scores of [
      [0, 1],
      [1, 0],
      [0.1, 0.3],
      [0.7, 0.1],
    ]) {
      const value = of(settings, { step_scores: scores }, { start_score: 0 }).value?.value as number;
      expect(value).toBeGreaterThanOrEqual(range[0] as number);
      expect(value).toBeLessThanOrEqual(range[1] as number);
    }
  });

  test("of log ratios there is none: the expression squashes them", () => {
    const s = { kind: "steps", source: "log_ratio", reduce: "sum" };
    expect(() => compiled({ s })).toThrow("squash it");
    expect(compiled({ s }, "sigmoid(s)").reward.range).toEqual([0, 1]);
    const huge = { step_logprobs: [-1e300, -1.7e308], base_step_logprobs: [-1.7e308, 0] };
    expect(of({ source: "log_ratio", beta: 100, reduce: "min" }, huge).value).toEqual({
      value: null,
      code: "unbounded",
    });
    expect(of({ source: "log_ratio", reduce: "sum" }, { step_logprobs: [], base_step_logprobs: [] }).value).toEqual({
      value: null,
      code: "no_steps",
    });
  });
});

test("a rollout without steps is worth the least that its settings can be worth", () => {
  const empty = [{ step_scores: [] }, { start_score: 0.5 }] as const;
  expect(of({ per_step: "progress" }, ...empty).value?.value).toBe(-1);
  expect(of({ per_step: "progress", unreadable: "null" }, ...empty).value).toEqual({ value: null, code: "no_steps" });
  expect(of({ reduce: "sum" }, ...empty).value?.value).toBe(0);
});

test.each([
  [{ weights: [1] }, "weights"],
  [{ reduce: "weighted" }, "weights"],
  [{ reduce: "weighted", weights: [1], source: "prm" }, "reduce"],
  [{ reduce: "prod", per_step: "delta" }, "reduce"],
  [{ reduce: "prod", source: "log_ratio" }, "reduce"],
  [{ reduce: "sum", source: "log_ratio", per_step: "delta" }, "per_step"],
  [{ beta: 0.1 }, "beta"],
  [{ source: "checker" }, "url"],
  [{ url: "https://a.example" }, "url"],
  [{ judge: {}, source: "prm" }, "judge"],
])("%j is refused by field", (settings, field) => {
  const read = () => compiled({ s: { kind: "steps", ...settings } }, "sigmoid(s)");
  expect(read).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ path: ["signals", "s", field] })] }),
  );
});

test("numbers that do not go together are refused by field", () => {
  const faultOf = (settings: object, ...rollouts: object[]) => {
    const { signal, settings: own } = compiled({ s: { kind: "steps", ...settings } }, "sigmoid(s)")
      .signals[0] as NonNullable<ReturnType<typeof compiled>["signals"][0]>;
    return signal.groupFault?.(own, preparedOf([], { rollouts }).group) ?? null;
  };
  const ratio = { source: "log_ratio", reduce: "sum" };
  const even = { text: "", step_logprobs: [-1], base_step_logprobs: [-1] };
  expect(faultOf(ratio, even)).toBeNull();
  expect(faultOf(ratio, even, { ...even, base_step_logprobs: [] })).toEqual({
    path: "rollouts[1].base_step_logprobs",
    message: "has 0 numbers, but step_logprobs has 1; both must have the same length",
  });
  const weighted = { reduce: "weighted", weights: [1] };
  expect(faultOf(weighted, { text: "", step_scores: [1] })).toBeNull();
  expect(faultOf(weighted, { text: "", step_scores: [1, 1] })?.path).toBe("rollouts[0].step_scores");
});
