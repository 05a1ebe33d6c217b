// Holds presets to the spellings that their judges' published code takes, and the marks of every
// verdict that is read to what is broken in model text.
import { describe, expect, it } from "vitest";
import { PRESETS } from "../../lab/templates/index.ts";
import { escapeText } from "../../src/core/judges/escape/escape.ts";
import { type ParserSettings, readBy, writtenOf } from "../../src/core/judges/parsers/table.ts";
import { readByPreset } from "../../src/core/judges/preset-reading.ts";
import { guardOf } from "../../src/core/judges/preset-render.ts";
import type { Preset } from "../../src/core/judges/presets/preset.ts";

const preset = (name: string) => PRESETS[name] as Preset;
const read = (name: string, answer: string) =>
  readByPreset(preset(name), answer, preset(name).shape === "pair" ? 2 : 1);
const first = { kind: "letter", place: 0 };
const second = { kind: "letter", place: 1 };
const by = (strength: number) => ({ kind: "preference", strength });
const grade = (value: number) => ({ kind: "grade", grade: value });

describe.each([
  // lmarena/arena-hard-auto gen_judgment.py: upper case, and one pair of brackets where no two are.
  ["arena-5", "[[a>b]]", by(1)],
  ["arena-5", "[[a>>B]]", by(2)],
  ["arena-5", "My final verdict is: [A>B]", by(1)],
  ["arena-5", "[B>>A]", by(-2)],
  ["arena-5", "[b > a]", by(-1)],
  ["arena-5", "[a=b]", by(0)],
  ["arena-5", "see [A] and [1]", null],
  ["arena-5", "[A>B] at first\n[[B>A]]", by(-1)],
  ["arena-5", "[A>B] or [B>A]", null],
  ["arena-5", "[A>>>B]", null],
  ["arena-5", "if a[A] > b[B]: [x>y]", null],
  // RM-R1-UIUC/RM-R1 rewardbench/generative.py: the brackets alone.
  ["rm-r1", "So [[B]]", second],
  ["rm-r1", "[[a]]", first],
  ["rm-r1", "<eval>not [[A]]</eval>\n[[B]]", second],
  ["rm-r1", "[[A]]\n<answer>[[B]]</answer>", second],
  ["rm-r1", "[[B]]\n<answer></answer>", null],
  ["rm-r1", "[[A]] or [[B]]", null],
  ["rm-r1", "[[C]]", null],
  // prometheus-eval/prometheus-eval parser.py.
  ["prometheus", "Feedback: fine [SCORE] 4", grade(4)],
  ["prometheus", "Fine.\nResult: 4", grade(4)],
  ["prometheus", "Fine.\n**Score:** 4/5", grade(4)],
  ["prometheus", "Fine. [RESULT: 4]", grade(4)],
  ["prometheus", "Score: 2\n[RESULT] 4", grade(4)],
  ["prometheus", "The tests gave the result: 2 passed", null],
  ["prometheus", "Score: 2\nResult: 4", grade(4)],
  ["prometheus-pair", "A does more. [RESULT: B]", second],
  ["prometheus-pair", "A does more.\nResult: Response A", first],
  // open-compass/CompassVerifier README: the box without its backslash.
  ["compassverifier", "Final Judgment: boxed{A} - CORRECT", { kind: "label", label: "A" }],
  ["compassverifier", "It is boxed{B}", { kind: "label", label: "B" }],
  ["compassverifier", "unboxed{A}", null],
  ["compassverifier", "boxed{A} or boxed{B}", null],
  ["compassverifier", "boxed{A}\n\\boxed{B}", { kind: "label", label: "B" }],
])("%s", (name, answer, verdict) => {
  it(`${verdict === null ? "reads nothing in" : "reads"} ${JSON.stringify(answer)}`, () => {
    expect(read(name, answer).verdict).toEqual(verdict);
  });
});

it.each([
  ["arena-5", ["[[A>>B]]", "[[A>B]]", "[[A=B]]", "[[B>A]]", "[[B>>A]]", "[[A<<B]]", "[A>B]", "[A=B]"]],
  ["mtbench-ab", ["[[A]]", "[[B]]", "[[C]]"]],
  ["rm-r1", ["<answer>", "</answer>", "[[A]]", "[[B]]"]],
  ["prometheus", ["[RESULT]", "[SCORE]", "[RESULT:", "Result:", "Score:"]],
  ["compassverifier", ["\\boxed{", "boxed{", "Final Judgment:"]],
])("all that is read of %s is broken in model text", (name, marks) => {
  expect(writtenOf(preset(name).parser)).toEqual(expect.arrayContaining(marks));
  const guard = guardOf(preset(name));
  // Some are broken by the tables of all presets already.
  for (const mark of marks) expect(guard(escapeText(mark))).not.toContain(mark);
});

it("a parser without marks of its own breaks those that a prompt tells", () => {
  const parser: ParserSettings = { kind: "numbers", range: [1, 5] };
  expect(writtenOf(parser)).toEqual(["\\boxed{"]);
});

describe("what is no verdict beside one", () => {
  const words: ParserSettings = { kind: "bracket", labels: ["Yes", "No"] };
  const letters: ParserSettings = { kind: "bracket", labels: ["A", "B"] };
  const graded: ParserSettings = { kind: "bracket", range: [1, 5] };
  const ranked: ParserSettings = {
    kind: "json",
    scores: "scores",
    ids: "model-{n}",
    order: ["best-to-worst"],
    range: [1, 5],
  };
  const scored = (order: string) => `{"scores": {"model-1": 3, "model-2": 3}, "best-to-worst": ${order}}`;

  it.each<[string, ParserSettings, number, string, string]>([
    ["a word among words takes back the label before it", words, 1, "[[Yes]]\n[[perhaps]]", "bad_content"],
    ["a word among letters is a citation", letters, 2, "[[A]]\n[[note]]", "ok"],
    ["brackets without a number are none among grades", graded, 1, "[[4]]\n[[note]]", "ok"],
    ["a ranking names each once", ranked, 2, scored('["model-1", "model-1"]'), "bad_content"],
    ["and may rank equals either way", ranked, 2, scored('["model-2", "model-1"]'), "ok"],
    ["a box of no label is one", { kind: "boxed", labels: ["A", "B"] }, 1, "\\boxed{neither of them}", "bad_content"],
  ])("%s", (_, settings, count, text, status) => {
    expect(readBy(settings, { segment: text, count }).status).toBe(status);
  });
});

describe("what stands in brackets beside labels", () => {
  const last = (labels: readonly string[], text: string) =>
    readBy({ kind: "bracket", labels: [...labels] }, { segment: text, count: 2 });

  it("is a comparison, and none of the labels: no earlier one stands in its place", () => {
    for (const labels of [
      ["A", "B"],
      ["A", "B", "Tie"],
    ])
      expect(last(labels, "[[A]]\n[[B>A]]")).toEqual({ status: "bad_content", value: null });
  });

  it("is a comparison that is a label, whatever its blanks and case", () => {
    expect(last(["A>B", "B>A"], "[[ a > b ]]")).toEqual({ status: "ok", value: { label: "A>B" } });
    expect(last(["A>B", "B>A"], "[[A>B]]\n[[A>>B]]").status).toBe("bad_content");
  });

  it.each([
    ["a citation", "A", ["A", "B"], "[[A]]\nas in [[12]]"],
    ["a lone sign", "A", ["A", "B"], "[[A]]\n[[<]]"],
    ["a comparison, where no label could be one", "Yes", ["Yes", "No"], "[[Yes]]\n[[A=B]]"],
    ["a letter in its own case", "b", ["A", "b"], "[[b]]"],
  ])("may be %s, which decides nothing else", (_, label, labels, text) => {
    expect(last(labels, text)).toEqual({ status: "ok", value: { label } });
  });
});
