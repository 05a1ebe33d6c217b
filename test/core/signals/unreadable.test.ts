// That no policy turns a loss into null by its text alone: each kind that reads texts says what an
// unreadable one is worth, and the canonical form of specs that do not name it stays as it was.
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { SignalsSpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { SIGNALS } from "../../../src/core/reward/table.ts";
import { resultOf } from "./prepared.ts";

const TEXT = "{{sample.output_json.answer}}";
const LONG = "x".repeat(LIMITS.similarity_units_max + 1);
const ITEM = { item: { answer: "right" } };
const messages = [{ role: "user", content: `Is ${TEXT} right?` }];
const answers = (...all: (string | null)[]) => ({ rollouts: all.map((answer) => ({ text: "t", answer })) });
const cut = (...all: string[][]) => ({ rollouts: all.map((step_texts) => ({ text: "t", step_texts })) });

/** Kinds that read texts, the unreadable ones of a loser, and what each is worth at the least. */
const CASES: readonly [
  name: string,
  settings: { kind: string },
  texts: readonly string[],
  facts: object,
  lowest: number,
][] = [
  [
    ...(["a box", { kind: "reference" }] as const),
    [
      ...[
        "\\boxed{}",
        "\\boxed{ }",
        "\\boxed{{}}",
        "\\boxed{$$}",
        "\\boxed{...}",
        "\\boxed{???}",
        "\\boxed{--}",
        "no box",
      ],
      ...["\\boxed{1", `\\boxed{${"1+".repeat(600)}1}`, `\\boxed{${"?".repeat(1_025)}}`, `\\boxed{${LONG}}`, ""],
    ],
    { reference: "42" },
    0,
  ],
  [
    "a box for a judge",
    { kind: "reference", tiers: ["rules", "judge"], appeal: true } as never,
    ["\\boxed{}", "\\boxed{???}", `\\boxed{${LONG}}`],
    { reference: "42" },
    0,
  ],
  [
    "a box for a judge alone",
    { kind: "reference", tiers: ["judge"] } as never,
    ["\\boxed{}", `\\boxed{${LONG}}`],
    { reference: "42" },
    0,
  ],
  ...(["eq", "ne", "like", "ilike"] as const).map((operation): (typeof CASES)[number] => [
    `JSON for ${operation}`,
    { kind: "string_check", input: TEXT, reference: "{{item.answer}}", operation } as never,
    ["no JSON", "{}", '{"answer": null}', "[1]", "{", ""],
    ITEM,
    0,
  ]),
  [
    "JSON for a similarity",
    { kind: "text_similarity", input: TEXT, reference: "{{item.answer}}", evaluation_metric: "bleu" } as never,
    ["no JSON", "{}"],
    ITEM,
    0,
  ],
  ...(["fuzzy_match", "rouge_l", "rouge_1", "bleu"] as const).map((evaluation_metric): (typeof CASES)[number] => [
    `a long text for ${evaluation_metric}`,
    {
      kind: "text_similarity",
      input: "{{item.answer}}",
      reference: "{{sample.output_text}}",
      evaluation_metric,
    } as never,
    ["a ".repeat(LIMITS.similarity_words_max + 1)],
    ITEM,
    0,
  ]),
  [
    "a text that fills its template beyond what may be filled",
    { kind: "string_check", input: "{{sample.output_text}}".repeat(300), reference: "x", operation: "ne" } as never,
    ["y".repeat(10_000)],
    {},
    0,
  ],
  [
    "JSON for a score",
    { kind: "score_model", input: messages, range: [-2, 3] } as never,
    ["no JSON", '{"b": 1}'],
    ITEM,
    -2,
  ],
  [
    "JSON for a label",
    { kind: "label_model", input: messages, labels: ["yes", "no"], passing_labels: ["yes"] } as never,
    ["no JSON", '{"b": 1}'],
    ITEM,
    0,
  ],
  ["no steps for a judge", { kind: "steps", source: "judge" } as never, ["t", "t"], cut([], []), 0],
  ["no steps for a model", { kind: "steps", source: "prm" } as never, ["t", "t"], cut([], []), 0],
  ["no steps sent", { kind: "steps" }, ["t"], { rollouts: [{ text: "t", step_scores: [] }] }, 0],
  [
    "no answer to agree with",
    { kind: "consensus", label_free: true, max_steps: 9 } as never,
    ["t", "t"],
    answers(null, ""),
    0,
  ],
];

describe.each(CASES)("%s", (_, settings, texts, facts, lowest) => {
  test("has lost where it cannot be read, unless the spec says null", () => {
    const lost = resultOf(settings, texts, facts).scores;
    expect(lost).toEqual(texts.map(() => ({ value: lowest, code: null })));
    const none = resultOf({ ...settings, unreadable: "null" } as typeof settings, texts, facts).scores;
    expect(none.map(({ value, code }) => [value, code !== null])).toEqual(texts.map(() => [null, true]));
  });

  test("leaves the canonical form as it was where the spec does not say null", () => {
    const canonical = (more: object) => SignalsSpecSchema.parse({ signals: { it: { ...settings, ...more } } });
    expect(canonical({ unreadable: "lose" })).toEqual(canonical({}));
    expect(JSON.stringify(canonical({}))).not.toContain("unreadable");
    expect(JSON.stringify(canonical({ unreadable: "null" }))).toContain('"unreadable":"null"');
  });
});

/** Nobody but their verifier reads a text: test/scoring/lone-judges.test.ts. */
const VERIFIERS_ONLY = ["grade", "rubric", "scalar"];

test("every kind that has the setting is among them", () => {
  const having = SIGNALS.filter(({ schema }) => "unreadable" in schema.shape).map(({ kind }) => kind);
  expect(new Set([...CASES.map(([, { kind }]) => kind), ...VERIFIERS_ONLY])).toEqual(new Set(having));
});

test.each(VERIFIERS_ONLY)("%s has no more in its canonical form where the spec does not say null", (kind) => {
  const items = kind === "rubric" && { items: [{ text: "Names the city." }] };
  const canonical = (more: object) => SignalsSpecSchema.parse({ signals: { it: { kind, ...items, ...more } } });
  expect(canonical({ unreadable: "lose" })).toEqual(canonical({}));
  expect(JSON.stringify(canonical({}))).not.toContain("unreadable");
  expect(JSON.stringify(canonical({ unreadable: "null" }))).toContain('"unreadable":"null"');
});

describe("what is no text's doing stays null", () => {
  const codes = (settings: { kind: string }, texts: readonly string[], facts: object) =>
    resultOf(settings, texts, facts).scores.map(({ code }) => code);

  test("rules that cannot tell, of a reference or an answer that can be read", () => {
    expect(codes({ kind: "reference" }, ["\\boxed{x+1}"], { reference: "42" })).toEqual(["rules_undecided"]);
    expect(codes({ kind: "reference" }, ["\\boxed{8}", "\\boxed{?}"], { reference: "2³" })).toEqual([
      "rules_undecided",
      null,
    ]);
    expect(codes({ kind: "reference" }, ["\\boxed{x > y}"], { reference: "x < y" })).toEqual(["rules_undecided"]);
    expect(codes({ kind: "reference" }, [`\\boxed{${LONG}}`], { reference: "y".repeat(2_000) })).toEqual([
      "rules_undecided",
    ]);
    expect(codes({ kind: "reference" }, ["\\boxed{1}"], { reference: "{}" })).toEqual(["invalid_reference"]);
  });

  test("a row that is too long alone, and steps that nobody scored", () => {
    const similar = { kind: "text_similarity", input: "{{item.answer}}", reference: "{{sample.output_text}}" };
    const row = { item: { answer: LONG } };
    expect(codes({ ...similar, evaluation_metric: "fuzzy_match" } as never, ["short", LONG], row)).toEqual([
      "text_too_long",
      "text_too_long",
    ]);
    expect(codes({ kind: "steps" }, ["t"], { rollouts: [{ text: "t", step_scores: [null, null] }] })).toEqual([
      "no_steps",
    ]);
  });

  test("and one who lost is told why", () => {
    const { details } = resultOf(
      { kind: "string_check", input: TEXT, reference: "x", operation: "eq" } as never,
      ["?"],
      {},
    );
    expect(details).toEqual([{ unreadable: "sample_not_json" }]);
  });
});

test("consensus counts those without an answer by the spec's word", () => {
  const certain = {
    rollouts: answers("½", "0.5", null).rollouts.map((rollout, i) => ({ ...rollout, self_certainty: i })),
  };
  const of = (unreadable: object, form: string) =>
    resultOf(
      { kind: "consensus", form, label_free: true, max_steps: 9, ...unreadable } as never,
      ["t", "t", "t"],
      certain,
    ).scores.map(({ value }) => value);
  expect(of({}, "majority")).toEqual([1, 1, 0]);
  expect(of({ unreadable: "null" }, "majority")).toEqual([1, 1, null]);
  expect(of({}, "cluster_share")).toEqual([2 / 3, 2 / 3, 1 / 3]);
  expect(of({ unreadable: "null" }, "cluster_share")).toEqual([2 / 3, 2 / 3, null]);
  expect(of({}, "borda")).toEqual([1, 1, 0]);
  expect(of({ unreadable: "null" }, "borda")).toEqual([1, 1, null]);
});
