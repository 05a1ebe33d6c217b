// The guarantees of the formulations beyond the golden vectors: options, prefill, ranges.

import { describe, expect, it } from "vitest";
import type { Formulation, VerdictOptions } from "../../src/core/contract/verdicts-request.ts";
import { scoreVerdict, uniqueMaximum, type VerdictCase } from "../../src/core/formulations/formulations.ts";
import fc from "../harness/property.ts";

const options: VerdictOptions = { style: "think", prefill: "", list_sc_wrong: -1 };
const T = "<think>\nok</think>";
const verdictCase = (text: string, more: Partial<VerdictCase> = {}): VerdictCase => ({
  text,
  k: 2,
  gold: 1,
  pass_rates: [0.4, 1],
  ...more,
});

describe("prefill", () => {
  const prefilled = { ...options, prefill: "<think>\n" };

  it("is put in front of a completion that begins inside the thoughts", () => {
    const text = "B handles n = 0.</think>\n\\boxed{B}";
    expect(scoreVerdict("pair_em", verdictCase(text), prefilled)).toMatchObject({
      content: 1,
      format: 0,
      verdict: "B",
    });
    expect(scoreVerdict("pair_em", verdictCase(text), options)).toMatchObject({ content: 1, format: -1 });
  });

  it("is not doubled when the text starts with it, white space aside", () => {
    for (const text of [`${T}\\boxed{B}`, "<think>ok</think>\\boxed{B}", ` ${T}\\boxed{B}`]) {
      expect(scoreVerdict("pair_em", verdictCase(text), prefilled)).toMatchObject({ content: 1, format: 0 });
    }
  });

  it("shows a completion cut inside its thoughts to be no verdict", () => {
    const scored = scoreVerdict("pair_em", verdictCase("maybe \\boxed{B}"), prefilled);
    expect(scored).toMatchObject({ content: 1, format: -1, verdict: null, status: "unclosed_think" });
  });
});

describe("scores", () => {
  it("list_sc_wrong decides a wrong winner and a tie, not a list of another length", () => {
    const content = (list: string, list_sc_wrong: -1 | 0) =>
      scoreVerdict("list_sc", verdictCase(`${T}\\boxed{${list}}`, { k: 3, gold: 0 }), { ...options, list_sc_wrong })
        .content;
    expect(["[4,9,3]", "[10,10,3]", "[10,4]", "[10,4,3]"].map((list) => content(list, -1))).toEqual([-1, -1, -1, 2]);
    expect(["[4,9,3]", "[10,10,3]", "[10,4]", "[10,4,3]"].map((list) => content(list, 0))).toEqual([0, 0, -1, 2]);
  });

  it("in cot style are read from the whole text, which must end with the list", () => {
    const cot = { ...options, style: "cot" as const };
    const scored = scoreVerdict("pair_sc", verdictCase("Analysis: fine.\nFinal Answer: \\boxed{[4, 10]}"), cot);
    expect(scored).toMatchObject({ content: 3.2, format: 1, verdict: "B", scores: [4, 10], status: "ok" });
    expect(scoreVerdict("pair_sc", verdictCase("\\boxed{[4, 10]}."), cot)).toMatchObject({ content: 3.2, format: -1 });
  });

  it("that tie at the top are a parsed verdict without a letter", () => {
    const scored = scoreVerdict("pair_sc", verdictCase(`${T}\\boxed{[7,7]}`), options);
    expect(scored).toMatchObject({ status: "ok", scores: [7, 7], verdict: null });
  });

  it("beyond 2^53 are compared exactly", () => {
    const text = `${T}\\boxed{[9007199254740992,9007199254740993]}`;
    expect(scoreVerdict("list_sc", verdictCase(text), options).content).toBe(1);
    expect(scoreVerdict("pair_sc", verdictCase(text), options)).toMatchObject({ content: 2, format: -0.5 });
  });

  it("of a pair with the form right but a leading zero Python refuses cost content and format", () => {
    expect(scoreVerdict("pair_sc", verdictCase(`${T}\\boxed{[010,4]}`), options)).toMatchObject({
      content: -2,
      format: -1,
    });
  });

  it("need two pass rates for a pair", () => {
    expect(() => scoreVerdict("pair_sc", verdictCase(`${T}\\boxed{[4,10]}`, { pass_rates: null }), options)).toThrow(
      RangeError,
    );
  });
});

describe("every formulation", () => {
  const RANGES: Record<Formulation, [number, number]> = {
    list_em: [-1, 1],
    pair_em: [-1, 1],
    list_sc: [-2, 2],
    pair_sc: [-3, 4.2],
  };
  const parts = [
    "<think>",
    "</think>",
    "\\boxed{",
    "[",
    "]",
    "}",
    "3",
    "10",
    ",",
    " ",
    "A",
    "B",
    "\n",
    `${T}\\boxed{[10,4]}`,
  ];
  it.each(Object.keys(RANGES) as Formulation[])("%s stays inside its documented range on any text", (formulation) => {
    const [low, high] = RANGES[formulation];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 20 }).map((chosen) => chosen.join(""));
    const rate = fc.integer({ min: 0, max: 20 }).map((n) => n / 20);
    fc.assert(
      fc.property(text, fc.tuple(rate, rate), fc.constantFrom("think", "cot"), (t, rates, style) => {
        const item = verdictCase(t, { pass_rates: rates });
        const { content, format } = scoreVerdict(formulation, item, { ...options, style: style as "think" | "cot" });
        expect(content + format).toBeGreaterThanOrEqual(low);
        expect(content + format).toBeLessThanOrEqual(high + 1e-12);
      }),
      { numRuns: 500 },
    );
  });

  it("finds the one maximum of a list, or none", () => {
    expect(uniqueMaximum([1, 3, 2])).toBe(1);
    expect(uniqueMaximum([3, 1, 3])).toBeNull();
    expect(uniqueMaximum([3, 3, 4])).toBe(2);
    expect(uniqueMaximum([5])).toBe(0);
    expect(uniqueMaximum([])).toBeNull();
  });
});
