// Owns the guarantees of the formulations beyond the golden vectors: options, prefill, ranges,
// JudgeLRM's structure.

import { describe, expect, it } from "vitest";
import type { Formulation, VerdictOptions } from "../../src/core/contract/requests.ts";
import { scoreVerdict, uniqueMaximum, type VerdictCase } from "../../src/core/formulations/formulations.ts";
import { judgeLrmAnswer } from "../../src/core/formulations/judgelrm.ts";
import fc from "../harness/property.ts";
import labelSets from "../vectors/label_sets.json" with { type: "json" };

const options: VerdictOptions = { style: "think", prefill: "", list_sc_wrong: -1 };
const T = "<think>\nok</think>";
const verdictCase = (text: string, more: Partial<VerdictCase> = {}): VerdictCase => ({
  text,
  k: 2,
  gold: 1,
  pass_rates: [0.4, 1],
  length_tokens: null,
  max_tokens: null,
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

describe("JudgeLRM structure", () => {
  it.each([
    ["<think>t</think><answer>8</answer><answer>4</answer>", 1, [8, 4]],
    ["x<think>t</think>\n<answer> 8 </answer> and <answer>+4</answer> done", 1, [8, 4]],
    ["<think>t</think><answer>8</answer><answer>4.5</answer>", -0.5, null],
    ["<think>t</think><answer>8</answer><answer>11</answer>", -0.5, null],
    ["<think>t</think><answer>-1</answer><answer>4</answer>", -0.5, null],
    ["<think>t</think><answer><answer>8</answer>4</answer>", -0.5, null],
    ["<think>t</think><answer>8</answer></answer><answer>4", -0.5, null],
    ["<think>t</think><answer>8</answer>", -1, null],
    ["<think>t</think><answer>8</answer><answer>4</answer><answer>4</answer>", -1, null],
    ["<think><think>t</think><answer>8</answer><answer>4</answer>", -1, null],
    ["<answer>8</answer><think>t</think><answer>4</answer>", -1, null],
    ["</think>t<think><answer>8</answer><answer>4</answer>", -1, null],
    ["", -1, null],
  ])("%s gives %d", (text, format, scores) => {
    expect(judgeLrmAnswer(text)).toEqual({ format, scores });
  });

  it("gates the content and the length terms", () => {
    const long = { length_tokens: 4000, max_tokens: 4000, pass_rates: [0.8, 0.4] };
    const reward = (text: string) => {
      const { content, format } = scoreVerdict("judgelrm", verdictCase(text, long), options);
      return content + format;
    };
    expect(reward("<think>t</think><answer>8</answer><answer>4</answer>")).toBeCloseTo(3.4, 12);
    expect(reward("<think>t</think><answer>8</answer><answer>12</answer>")).toBe(-2.5);
    expect(reward("<answer>8</answer><answer>4</answer>")).toBe(-3);
  });

  it("without a limit keeps the bonus for length alone", () => {
    const text = "<think>t</think><answer>8</answer><answer>4</answer>";
    const content = (length_tokens: number | null) =>
      scoreVerdict("judgelrm", verdictCase(text, { length_tokens, pass_rates: [0.8, 0.4] }), options).content;
    expect([null, 120, 121, 100_000].map(content)).toEqual([3.2, 3.2, 3.4, 3.4]);
  });
});

describe("sets of right candidates", () => {
  it.each(labelSets.cases)("$formulation: $why", ({ formulation, text, k, golds, ...wanted }) => {
    const found = scoreVerdict(formulation as Formulation, verdictCase(text, { k, golds }), options);
    if (wanted.content !== null) expect(found.content).toBeCloseTo(wanted.content, 12);
    expect(found.format).toBe(wanted.format);
    if (wanted.status !== null) expect([found.verdict, found.status]).toEqual([wanted.verdict, wanted.status]);
  });
});

describe("every formulation", () => {
  const RANGES: Record<Formulation, [number, number]> = {
    list_em: [-1, 1],
    pair_em: [-1, 1],
    list_sc: [-2, 2],
    pair_sc: [-3, 4.2],
    judgelrm: [-3, 4.4],
    patch_multiselect: [-1, 1],
    pair_labels: [-1, 1],
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
    "<answer>",
    "</answer>",
    "\n",
    `${T}\\boxed{[10,4]}`,
    "correct",
    "incorrect",
    "none",
  ];
  it.each(Object.keys(RANGES) as Formulation[])("%s stays inside its documented range on any text", (formulation) => {
    const [low, high] = RANGES[formulation];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 20 }).map((chosen) => chosen.join(""));
    const rate = fc.integer({ min: 0, max: 20 }).map((n) => n / 20);
    fc.assert(
      fc.property(
        text,
        fc.tuple(rate, rate),
        fc.option(fc.nat(500)),
        fc.constantFrom("think", "cot"),
        (t, rates, length, style) => {
          const item = verdictCase(t, { pass_rates: rates, length_tokens: length, max_tokens: 300 });
          const { content, format } = scoreVerdict(formulation, item, { ...options, style: style as "think" | "cot" });
          expect(content + format).toBeGreaterThanOrEqual(low);
          expect(content + format).toBeLessThanOrEqual(high + 1e-12);
        },
      ),
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
