// That no policy turns a loss into null by its text alone: each kind that reads texts says what an
// unreadable one is worth, and the canonical form of specs that do not name it stays as it was.
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { SignalsSpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { SIGNALS } from "../../../src/core/reward/table.ts";
import { resultOf } from "./prepared.ts";

const LONG = "x".repeat(LIMITS.reference_chars + 1);
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
        "There is no box in this sentence.",
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
  [
    "a text too long to compare",
    { kind: "text_similarity", evaluation_metric: "fuzzy_match" } as never,
    [LONG],
    { reference: "right" },
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

/** Only their verifier reads a text: test/scoring/lone-judges.test.ts. */
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

  test("a reference that the rules cannot tell from other answers", () => {
    const told = (more: object) => codes({ kind: "reference", ...more }, ["\\boxed{x+1}"], { reference: "42" });
    expect([told({}), told({ undecided: "lose" }), told({ undecided: "null" })]).toEqual([
      [null],
      [null],
      ["rules_undecided"],
    ]);
    expect(codes({ kind: "reference" }, ["\\boxed{8}", "\\boxed{?}"], { reference: "2‰" })).toEqual([
      "rules_undecided",
      null,
    ]);
    expect(codes({ kind: "reference" }, ["\\boxed{x > y}"], { reference: "x < y" })).toEqual(["rules_undecided"]);
    expect(codes({ kind: "reference" }, [`\\boxed{${LONG}}`], { reference: "y".repeat(2_000) })).toEqual([
      "rules_undecided",
    ]);
    expect(codes({ kind: "reference" }, ["\\boxed{1}"], { reference: "{}" })).toEqual(["invalid_reference"]);
  });

  test("steps that nobody scored", () => {
    expect(codes({ kind: "steps" }, ["t"], { rollouts: [{ text: "t", step_scores: [null, null] }] })).toEqual([
      "no_steps",
    ]);
  });

  test("and one who lost is told why", () => {
    const similar = { kind: "text_similarity", evaluation_metric: "fuzzy_match" } as never;
    expect(resultOf(similar, [LONG], { reference: "x" }).details).toEqual([{ unreadable: "too_long" }]);
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
  expect(of({}, "cluster_share")).toEqual([2 / 3, 2 / 3, 0]);
  expect(of({ unreadable: "null" }, "cluster_share")).toEqual([2 / 3, 2 / 3, null]);
  expect(of({}, "borda")).toEqual([1, 1, 0]);
  expect(of({ unreadable: "null" }, "borda")).toEqual([1, 1, null]);
});
