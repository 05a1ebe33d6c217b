// Every robust row of the vectors, by the parser and settings that its judge would have.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { segmentOf } from "../../src/core/judges/parsers/answer-text.ts";
import type { Value } from "../../src/core/judges/parsers/parser-result.ts";
import { type ParserSettings, readBy } from "../../src/core/judges/parsers/table.ts";

interface Input {
  family: string;
  text?: string;
  attempts?: string[];
  labels?: string[];
  offered?: string[];
  range?: [number, number];
  score_range?: [number, number];
  ranking_range?: [number, number];
  count?: number;
  ids?: string[];
  n?: number;
  tag?: string;
  tokens?: string[] | null;
  position_logprobs?: [string, number][][] | null;
}
interface Row {
  id: string;
  name: string;
  input: Input;
  expected: { robust: { status: string; value: unknown } };
}

const { cases } = JSON.parse(readFileSync("test/vectors/judge_parsers.json", "utf8")) as { cases: Row[] };

type Plan = [settings: (input: Input) => ParserSettings, value: (value: Value, input: Input) => unknown];

const label = (value: Value) => ("label" in value ? value.label : value);
const numbers = (value: Value) => ("numbers" in value ? value.numbers : value);
const number = (value: Value) => ("numbers" in value ? value.numbers[0] : value);
const range = (input: Input) => input.range ?? [0, 1];
const AB = ["A", "B"];
const TWENTY = [..."ABCDEFGHIJKLMNOPQRST"];
const COMPARISONS: Record<string, string> = { 2: "A>>B", 1: "A>B", 0: "A=B", "-1": "B>A", "-2": "B>>A" };

const PLANS: Record<string, Plan> = {
  mtbench_ab: [
    ({ labels }) => ({ kind: "bracket", labels: labels ?? [] }),
    (value) => (label(value) === "C" ? "tie" : label(value)),
  ],
  mtbench_ratings: [(input) => ({ kind: "bracket", range: range(input) }), numbers],
  arena_hard: [
    () => ({ kind: "bracket", strength: true }),
    (value) => ("strength" in value ? COMPARISONS[value.strength] : value),
  ],
  rm_r1: [() => ({ kind: "tag", tag: "answer", labels: AB }), label],
  judgelrm: [(input) => ({ kind: "tag", tag: "answer", range: range(input), whole: true, each: true }), numbers],
  nemo_genrm: [
    ({ score_range = [1, 5], ranking_range = [1, 6] }) => ({
      ...{ kind: "json", scores: "score_{n}", range: score_range },
      ranking: { key: "ranking", range: ranking_range },
    }),
    numbers,
  ],
  deepseek_grm: [(input) => ({ kind: "numbers", range: range(input) }), numbers],
  rewardanything: [
    (input) => ({
      ...{ kind: "json", scores: "scores", ids: "model-{n}", order: ["best-to-worst", "best-to-worse"] },
      range: range(input),
    }),
    numbers,
  ],
  ruler: [
    (input) => ({
      ...{ kind: "json", scores: "scores", ids: "{n}", items: ["trajectory_id", "score"] },
      range: range(input),
    }),
    numbers,
  ],
  prometheus_absolute: [(input) => ({ kind: "line", key: "[RESULT]", range: range(input) }), number],
  prometheus_relative: [() => ({ kind: "line", key: "[RESULT]", labels: AB }), label],
  selene_likert: [() => ({ kind: "line", key: "Result:", range: [1, 5] }), number],
  selene_yes_no: [() => ({ kind: "line", key: "Result:", labels: ["Yes", "No"] }), label],
  selene_pair: [() => ({ kind: "line", key: "Result:", labels: AB }), label],
  openrubrics: [() => ({ kind: "line", key: "Winner:", labels: AB }), label],
  compass_verifier: [
    () => ({
      ...{ kind: "boxed", labels: ["A", "B", "C"], key: "Final Judgment:", bare: true },
      words: { correct: "A", incorrect: "B", invalid: "C" },
    }),
    label,
  ],
  xverify: [() => ({ kind: "word", labels: ["Correct", "Incorrect"] }), label],
  general_verifier: [() => ({ kind: "line", key: "Final Decision:", labels: ["Yes", "No"] }), label],
  inspect_grade: [
    ({ offered = [] }) => ({
      ...{ kind: "line", key: "GRADE:", labels: offered },
      words: { correct: "C", incorrect: "I", partial: "P" },
    }),
    label,
  ],
  promptfoo_rubric: [() => ({ kind: "json", grade: "score", pass: "pass", range: [0, 1] }), number],
  promptfoo_select_best: [({ n = 0 }) => ({ kind: "line", range: [0, n - 1] }), number],
  nemo_equivalence: [
    () => ({ kind: "bracket", labels: ["A=B", "A!=B"] }),
    (value) => (label(value) === "A=B" ? "equal" : "different"),
  ],
  tinker_score: [(input) => ({ kind: "tag", tag: "score", range: range(input) }), number],
  osmosis_json: [(input) => ({ kind: "json", grade: "score", range: range(input) }), number],
  qqr_scores: [
    (input) => ({
      ...{ kind: "json", scores: "combined_scores", ids: "Agent_{letter}", winner: "winner" },
      range: range(input),
    }),
    numbers,
  ],
  ms_swift_reward: [(input) => ({ kind: "line", key: "Reward:", range: range(input) }), number],
  healthbench_item: [
    () => ({ kind: "json", met: "criteria_met" }),
    (value) => ("met" in value ? value.met.criteria_met : value),
  ],
  verifiers_choice: [({ labels = [] }) => ({ kind: "boxed", labels, key: "Verdict:", bare: true }), label],
  verifiers_yes_no: [({ labels = [] }) => ({ kind: "boxed", labels, key: "Verdict:", bare: true }), label],
  label_logprobs: [
    ({ tag = "" }) => ({ kind: "logprobs", labels: TWENTY, tag, coverage: 0 }),
    (value) => ("shares" in value ? value.shares.reduce((sum, share, i) => sum + share * (1 - i / 19), 0) : value),
  ],
};

const STATUS: Record<string, string> = { ok: "ok", ambiguous: "ambiguous", bad_content: "bad_content" };

function read(text: string, input: Input, [settings]: Plan) {
  const segment = segmentOf(text);
  if (segment === null) return { status: "unclosed_think", value: null };
  const tokens = input.tokens?.map((token, at) => ({
    token,
    top: (input.position_logprobs?.[at] ?? []).map(([one, logprob]) => ({ token: one, logprob })),
  }));
  const count = input.count ?? input.ids?.length ?? input.n ?? 2;
  return readBy(settings(input), { segment, count, tokens });
}

describe.each(Object.keys(PLANS))("%s", (family) => {
  const plan = PLANS[family] as Plan;
  const rows = cases.filter(({ input }) => input.family === family);
  test.each(rows.map((row) => [row.id, row.name, row] as const))("%s %s", (_, __, { input, expected }) => {
    const tries = (input.attempts ?? [input.text ?? ""]).map((text) => read(text, input, plan));
    const said = tries.find(({ status }) => status === "ok") ?? tries.at(-1);
    const { status, value } = expected.robust;
    expect(STATUS[said?.status ?? ""] ?? "no_verdict").toBe(status);
    const got = said?.value == null ? null : plan[1](said.value, input);
    if (typeof value === "number") expect(got).toBeCloseTo(value, 12);
    else expect(got).toEqual(status === "ok" ? flat(value) : value);
  });
});

/** The scores of an object of several parts. */
function flat(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { score, score_1, score_2 } = value as { score?: number; score_1?: number; score_2?: number };
  return score ?? [score_1, score_2];
}

test("no family of the vectors is left out", () => {
  expect(Object.keys(PLANS).sort()).toEqual([...new Set(cases.map(({ input }) => input.family))].sort());
});
