// A rubric's scores: every golden row, item forms of four projects, and how an answer is read.
import { describe, expect, test } from "vitest";
import { PRESETS } from "../../../lab/templates/index.ts";
import { readByPreset } from "../../../src/core/judges/preset-reading.ts";
import type { Preset } from "../../../src/core/judges/presets/preset.ts";
import { partsOf, RubricSchema, rubricItems, rubricText } from "../../../src/core/signals/rubric-items.ts";
import { choiceMet, type Decided, majority, rubricScore } from "../../../src/core/signals/rubric-score.ts";
import golden from "../../vectors/rubric_scores.json" with { type: "json" };

interface Case {
  name: string;
  input: {
    formula: string;
    items?: { id: string; points?: number; weight?: number; choices?: string[] }[];
    verdicts?: (boolean | number | string | null)[];
  };
  expected: Record<string, number | string | null>;
}
const cases = golden.cases as unknown as Case[];
const ofFormula = (...formulas: string[]) =>
  cases.filter(({ input }) => formulas.includes(input.formula)).map((one) => [one.name, one] as const);

/** A verdict of the vectors as it comes from a judge: a choice as its number. */
function decided(verdict: boolean | number | string | null, choices: readonly string[] = []): Decided {
  if (typeof verdict === "string") return choiceMet(choices.indexOf(verdict) + 1, choices.length);
  return verdict === null ? null : Number(verdict);
}

const near = (found: number | null, expected: number | string | null | undefined) => {
  if (expected === null) expect(found).toBeNull();
  else expect(Math.abs((found as number) - (expected as number))).toBeLessThanOrEqual(1e-12);
};

describe("golden scores", () => {
  test.each(ofFormula("points_over_positive"))("%s", (_, { input: { items = [], verdicts = [] }, expected }) => {
    const points = items.map(({ points = 0 }) => ({ points }));
    const { raw, value, coverage } = rubricScore(
      points,
      verdicts.map((one) => decided(one)),
      "points_over_positive",
    );
    near(raw, expected.raw);
    near(value, expected.clipped);
    near(coverage, expected.coverage);
  });

  test.each(ofFormula("verifiers_choices", "rar_explicit"))("%s", (_, { input, expected }) => {
    const { items = [], verdicts = [] } = input;
    const met = verdicts.map((one, i) => decided(one, items[i]?.choices));
    // A word that is none of the choices cannot come from a judge that gives their numbers.
    if (expected.error === "bad_choice") return expect(met).toContain(null);
    const { value, coverage } = rubricScore(
      items.map(({ weight = 0 }) => ({ points: weight })),
      met,
      "weighted_mean",
    );
    near(value, expected.score);
    near(coverage, expected.coverage);
  });

  test("are all held here or over HTTP", () => {
    const formulas = new Set(cases.map(({ input }) => input.formula));
    // The mean over examples is the trainer's own.
    expect([...formulas].sort()).toEqual([
      "implicit_1_10",
      "mean_over_examples",
      "points_over_positive",
      "rar_explicit",
      "verifiers_choices",
    ]);
  });
});

test("an item in the words of HealthBench, verifiers and Rubrics as Rewards is the same item", () => {
  const ours = [{ id: "cites", text: "Names a source.", points: 5 }];
  const forms = [
    [{ id: "cites", criterion: "Names a source.", points: 5, tags: ["level:example"] }],
    [{ name: "cites", text: "Names a source.", weight: 5, choices: ["no", "yes"] }],
    [{ title: "cites", description: "Names a source.", weight: 5 }],
    ours,
  ];
  for (const form of forms) expect(rubricItems(RubricSchema.parse(form))).toEqual(ours);
});

test("an item that says one thing twice, or nothing, is refused by field", () => {
  const path = (item: object) => RubricSchema.safeParse([item]).error?.issues[0]?.path;
  expect(path({ text: "a", criterion: "b" })).toEqual([0, "criterion"]);
  expect(path({ text: "a", points: 1, weight: 2 })).toEqual([0, "weight"]);
  expect(path({ points: 1 })).toEqual([0, "text"]);
  expect(path({ text: "a", point: 1 })).toEqual([0]);
  expect(RubricSchema.safeParse([{ text: "a", id: "2" }, { text: "b" }]).error?.issues[0]?.path).toEqual([1]);
});

test("parts hold all items in order, no more than asked for and no more text than a slot holds", () => {
  const items = rubricItems(Array.from({ length: 20 }, (_, i) => ({ text: `${i} ${"x".repeat(i * 10)}` })) as never);
  for (const [count, chars] of [
    [1, 1e6],
    [7, 1e6],
    [64, 300],
  ] as const) {
    const parts = partsOf(items, count, chars);
    expect(parts.flat()).toEqual(items);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(count);
      if (part.length > 1) expect(rubricText(part).length).toBeLessThanOrEqual(chars);
    }
  }
});

test("the majority of samples decides an item, and equal counts decide nothing", () => {
  expect(majority([1, 0, 1])).toBe(1);
  expect(majority([1, 0])).toBeNull();
  expect(majority([null, null])).toBeNull();
  expect(majority([null, 0.5])).toBe(0.5);
});

test("an answer tells of each criterion, with gaps, nulls and quotes, and one strange value spoils it", () => {
  const said = (text: string) => readByPreset(PRESETS["rubric-items"] as Preset, text, 1);
  expect(said('{"criterion_1": true, "evidence_1": "Paris", "criterion_3": null, "criterion_4": 2}').verdict).toEqual({
    kind: "criteria",
    met: { criterion_1: true, criterion_3: null, criterion_4: 2 },
    evidence: { criterion_1: "Paris" },
  });
  for (const strange of ['"maybe"', "0.5", "0", "27", "[]"]) {
    expect(said(`{"criterion_1": true, "criterion_2": ${strange}}`).status, strange).toBe("bad_content");
  }
  expect(said('{"criterion_1": true, "criterion_1": false}').status).toBe("ambiguous");
  expect(said("All are met.").status).toBe("no_box");
});
