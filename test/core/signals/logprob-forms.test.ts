// The forms of `logprob` that compare log probabilities, against published code and equations.
import { describe, expect, test } from "vitest";
import { compileSpec } from "../../../src/core/reward/compiled-spec.ts";
import { SignalsSpecSchema } from "../../../src/core/reward/signals-spec.ts";
import vectors from "../../vectors/published_rewards.json" with { type: "json" };
import { preparedOf, resultOf } from "./prepared.ts";

const of = (settings: object, ...rollouts: object[]) => {
  const { scores, details } = resultOf({ kind: "logprob", ...settings } as never, [], {
    rollouts: rollouts.map((facts) => ({ text: "t", ...facts })),
  });
  return { values: scores.map(({ value, code }) => value ?? code), details };
};
const compiled = (settings: object, reward = "sigmoid(s)") =>
  compileSpec(SignalsSpecSchema.parse({ signals: { s: { kind: "logprob", ...settings } }, reward }), 8);

describe("density_ratio", () => {
  test.each(vectors.density_ratio.map((v, i) => [i, v] as const))("is Dr. SoW's: %i", (_, { sum, mean, ...facts }) => {
    expect(of({ form: "density_ratio" }, facts).values[0]).toBeCloseTo(sum, 12);
    expect(of({ form: "density_ratio", per_token: true }, facts).values[0]).toBeCloseTo(mean, 12);
  });

  test("has no value without numbers, nor where they are too large, and judges a rollout alone", () => {
    const of0 = (text_logprobs: number[]) => of({ form: "density_ratio" }, { text_logprobs, base_text_logprobs: [-1] });
    expect(of0([]).values).toEqual(["no_number"]);
    expect(of0([-1.7e308, -1.7e308]).values).toEqual(["unbounded"]);
    expect(compiled({ form: "density_ratio" })).toMatchObject({ reward: { range: [0, 1] } });
  });
});

describe("r3", () => {
  test.each(vectors.r3.map((v, i) => [i, v] as const))("is the paper's equation: %i", (_, v) => {
    const facts = v.reference_logprobs.map((reference_logprobs) => ({
      reference_logprobs,
      base_reference_logprobs: v.base_reference_logprobs,
    }));
    const near = (found: readonly unknown[], expected: readonly number[]) => {
      expect(found).toHaveLength(expected.length);
      for (const [i, number] of expected.entries()) expect(found[i]).toBeCloseTo(number, 12);
    };
    near(of({ form: "r3" }, ...facts).values, v.plain);
    near(of({ form: "r3", debias: true }, ...facts).values, v.debiased);
  });

  test("tokens whose probability hangs on the reasoning alone count", () => {
    const rows = [
      [-0.1, -2, -0.3],
      [-0.1, -1, -0.3],
    ].map((reference_logprobs) => ({ reference_logprobs }));
    expect(of({ form: "r3" }, ...rows)).toEqual({
      values: [-2, -1],
      details: [{ token_std: 0.5 }, { token_std: 0.5 }],
    });
    // Where nothing differs, all count alike, and none gains.
    const same = of({ form: "r3", low_std: 0.1 }, { reference_logprobs: [-1, -3] }, { reference_logprobs: [-1, -3] });
    expect(same).toEqual({ values: [-2, -2], details: [0, 0].map(() => ({ token_std: 0, low_std: true })) });
  });

  test("who has no numbers has no value and leaves its neighbours theirs", () => {
    const [known, other] = [{ reference_logprobs: [-1, -2] }, { reference_logprobs: [-1, -3] }];
    expect(of({ form: "r3" }, known, { reference_logprobs: [] }, other).values).toEqual([-2, "invalid_reference", -3]);
    const base = { ...known, base_reference_logprobs: [] };
    expect(of({ form: "r3", debias: true }, base).values).toEqual(["invalid_reference"]);
    const huge = { reference_logprobs: [-1.7e308, -1] };
    expect(of({ form: "r3" }, huge, known).values).toEqual(["unbounded", "unbounded"]);
  });

  test("compares, and refuses tokens that are not the same by field", () => {
    const { signal, settings } = compiled({ form: "r3", debias: true }).signals[0] as ReturnType<
      typeof compiled
    >["signals"][number];
    expect(signal.relativeWith?.(settings)).toBe(true);
    const even = { text: "t", reference_logprobs: [-1], base_reference_logprobs: [-1] };
    const faultOf = (...rollouts: object[]) =>
      signal.groupFault?.(settings, preparedOf([], { rollouts }).group) ?? null;
    expect(faultOf(even, even)).toBeNull();
    expect(faultOf(even, { ...even, base_reference_logprobs: [-1, -1] })).toEqual({
      path: "rollouts[1].base_reference_logprobs",
      message: "has 2 numbers, but rollouts[0].reference_logprobs has 1; both must cover the same tokens",
    });
  });
});

test("a log ratio has no finite range, and settings of another form are refused by field", () => {
  for (const form of ["r3", "density_ratio"]) expect(() => compiled({ form }, "s")).toThrow("squash it");
  const refused = (settings: object, field: string) =>
    expect(() => compiled(settings)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: ["signals", "s", field] })] }),
    );
  refused({ form: "density_ratio", debias: true }, "debias");
  refused({ form: "seq_lik", debias: true }, "debias");
  refused({ form: "r3", per_token: true }, "per_token");
});
