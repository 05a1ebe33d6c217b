// The guarantees of benchmarks' rows: each layout is read as its people write it and counted as they count,
// by figures worked out by hand.
import { describe, expect, it } from "vitest";
import { areaUnderRoc } from "../../evaluate/verifiers/families/labels.ts";
import type { Settings } from "../../evaluate/verifiers/items/benchmark.ts";
import type { Scored } from "../../evaluate/verifiers/items/scored.ts";
import { LAYOUTS, type LayoutName } from "../../evaluate/verifiers/layouts/table.ts";
import { specOf } from "../../evaluate/verifiers/spec.ts";
import { Omissions } from "../../testbed/format/jsonl.ts";

const SETTINGS: Settings = { threshold: 0.5, raw: false, seed: 1, bootstrap: 0 };

const scored = (list_id: string, rewards: (number | null)[], more: Partial<Scored> = {}): Scored => ({
  list_id,
  cell: "verifier",
  spec_hash: "sha256:1",
  request_id: "r",
  error: null,
  rewards,
  codes: rewards.map((reward) => (reward === null ? "unparsed" : null)),
  reported: rewards.map(() => ({})),
  flips: null,
  generations: 1,
  prompt_tokens: 1,
  completion_tokens: 1,
  ...more,
});

function read(layout: LayoutName, rows: readonly object[]) {
  const omissions = new Omissions();
  const at = rows.map((row, i) => ({ row: LAYOUTS[layout].row.parse(row), where: `rows:${i + 1}` }));
  return { ...LAYOUTS[layout].read(at, omissions), omissions };
}

/** The figures of rows whose i-th is answered by the i-th answer. */
function figures(
  layout: LayoutName,
  rows: readonly object[],
  answers: readonly Omit<Scored, "list_id">[],
  settings = SETTINGS,
) {
  const { items, judge } = read(layout, rows);
  const all = new Map(items.map(({ id }, i) => [id, { ...(answers[i] as Scored), list_id: id }]));
  const { judged, results: own } = judge(all, settings);
  const told = Object.fromEntries(Object.entries(own.figures).map(([name, { mean }]) => [name, mean]));
  return { judged, own, told, main: own.main.value.mean };
}

describe("right and wrong", () => {
  const row = (i: number, gold_correct: boolean) => ({
    completion_id: `c${i}`,
    question_id: `q${i}`,
    question: "2 + 2?",
    answer: "4",
    completion: "It is 4.",
    gold_correct,
    completion_model: "m",
    answer_type: "number",
  });
  const rows = [row(0, true), row(1, true), row(2, true), row(3, false), row(4, false)];
  const answers = [0.9, 0.8, 0.2, 0.7, null].map((score) => scored("", [score]));

  it("count precision, recall and what is rejected; no verdict is no right call", () => {
    const { told } = figures("verify-bench", rows, answers);
    expect(told).toMatchObject({ accuracy: 2 / 5, precision: 2 / 3, recall: 2 / 3, rejected: 0, no_verdict: 1 / 5 });
    expect(told.f1).toBeCloseTo(2 / 3);
  });

  it("take the score as a probability: ECE, Brier and AUROC over what was scored", () => {
    const { told } = figures("verify-bench", rows, answers);
    expect(told.ece).toBeCloseTo((0.1 + 0.2 + 0.8 + 0.7) / 4);
    expect(told.brier).toBeCloseTo((0.01 + 0.04 + 0.64 + 0.49) / 4);
    expect(told.auroc).toBeCloseTo(2 / 3);
    expect(figures("verify-bench", rows, [scored("", [2]), ...answers.slice(1)]).told).not.toHaveProperty("ece");
  });

  it("give half for a tie between a right one and a wrong one, and nothing without both", () => {
    expect(
      areaUnderRoc([
        { score: 1, truth: true },
        { score: 1, truth: false },
      ]),
    ).toBe(0.5);
    expect(areaUnderRoc([{ score: 1, truth: true }])).toBeNull();
  });

  it("are asked with the reference, and of criteria each counts", () => {
    expect(read("verify-bench", rows).items[0]?.group).toEqual({
      prompt: "2 + 2?",
      reference: "4",
      rollouts: [{ text: "It is 4." }],
    });
    const rubric = [
      { id: "a", text: "is short" },
      { id: "b", text: "is right" },
      { id: "c", text: "is kind" },
    ];
    const met = { a: true, b: false, c: true };
    const { told } = figures(
      "rubrics",
      [{ prompt: "p", completion: "t", rubric, met }],
      [scored("", [0.5], { reported: [{ met: ["a"], unmet: ["b"] }] })],
    );
    expect(told).toMatchObject({ accuracy: 2 / 3, precision: 1, recall: 1 / 2, rejected: 1, no_verdict: 1 / 3 });
  });
});

describe("the first wrong step", () => {
  it("is counted among erroneous and correct solutions, with their harmonic mean by subset", () => {
    const row = (id: string, label: number) => ({ id, generator: "g", problem: "p", steps: ["a", "b", "c"], label });
    const rows = [row("math-0", 1), row("math-1", 2), row("math-2", -1), row("gsm8k-0", 0), row("gsm8k-1", -1)];
    const said = [1, 1, -1, 0, null].map((first_wrong) =>
      scored("", [first_wrong === null ? null : 1], { reported: [first_wrong === null ? {} : { first_wrong }] }),
    );
    const { told, main } = figures("process-bench", rows, said);
    expect(told).toMatchObject({ erroneous: 2 / 3, correct: 1 / 2 });
    // math: 1/2 and 1; gsm8k: 1 and 0, whose harmonic mean is 0.
    expect(main).toBeCloseTo((2 / 3 + 0) / 2);
    expect(read("process-bench", rows).items[0]?.group.rollouts).toEqual([
      { text: "a\n\nb\n\nc", step_texts: ["a", "b", "c"] },
    ]);
    expect(() => read("process-bench", [row("math-0", 3)])).toThrow("not the index of a step");
  });
});

describe("pairs", () => {
  const row = (i: number, label: string) => ({
    pair_id: `${i}`,
    source: i % 2 === 0 ? "mmlu-pro-law" : "livecodebench",
    question: `q${i}`,
    response_A: "a",
    response_B: "b",
    label,
  });

  it("count as JudgeBench does: above 0 over both orders is correct, 0 is neither", () => {
    const rows = [row(0, "A>B"), row(1, "B>A"), row(2, "A>B"), row(3, "B>A")];
    const answers = [
      scored("", [1, 0], { flips: 0 }),
      scored("", [0.5, 0.5], { flips: 1 }),
      scored("", [0, 1], { flips: 0 }),
      scored("", [null, null]),
    ];
    const { told, judged } = figures("judge-bench", rows, answers);
    expect(told).toEqual({ correct: 0.25, incorrect: 0.25, tie: 0.25, no_verdict: 0.25, inconsistent: 1 / 3 });
    expect(judged.map(({ item }) => item.subset)).toEqual(["knowledge", "coding", "knowledge", "coding"]);
  });

  it("are refused where a spec asks them in one order", () => {
    const spec = { signals: { better: { kind: "tournament", judge: { preset: "mtbench-ab" } } } };
    expect(() => specOf("judge-bench", spec, null)).toThrow("signals.better.judge.both_orders must be true");
    expect(() => specOf("judge-bench", { judge: { preset: "mtbench-ab" } }, null)).toThrow("judge.both_orders");
    expect(() => specOf("judge-bench", { signals: { good: { kind: "grade" } } }, null)).not.toThrow();
  });
});

describe("the best of several", () => {
  const row = (id: string, subset: string, chosen: string[], rejected: string[]) => ({
    id,
    prompt: `p${id}`,
    chosen,
    rejected,
    subset,
  });

  it("gives a share for a tie at the top, and means subsets", () => {
    const rows = [
      row("1", "Math", ["r"], ["w", "w", "w"]),
      row("2", "Math", ["r"], ["w", "w", "w"]),
      row("3", "Focus", ["r"], ["w", "w", "w"]),
    ];
    const answers = [scored("", [0.9, 0.9, 0.1, 0]), scored("", [0.2, 0.9, 0.1, 0]), scored("", [1, null, 0, 0])];
    const { told, main } = figures("reward-bench-2", rows, answers);
    expect(told).toMatchObject({ Math: 0.25, Focus: 0 });
    expect(main).toBe(0.125);
  });

  it("scores the subset of ties by margins: 0.3, 0.3, 0.2, 0.2 and 0.01", () => {
    const rows = [
      row("ref:1", "Ties", ["red"], ["seven"]),
      row("tied:1", "Ties", ["red", "blue"], ["seven"]),
      row("ref:2", "Ties", ["oak"], ["iron"]),
      row("tied:2", "Ties", ["oak", "elm"], ["iron"]),
    ];
    // Prompt 1: margins 0.5 and 0.3, spread 0.1. Prompt 2: margins 0.1 and -0.1, spread 0.4.
    const answers = [
      scored("", [0.9, 0.4]),
      scored("", [0.8, 0.7, 0.4]),
      scored("", [0.5, 0.4]),
      scored("", [0.8, 0.4, 0.5]),
    ];
    const margins = (Math.tanh(0.3 / 0.1 - 1) + Math.tanh(-0.1 / 0.4 - 1)) / 2;
    const { told } = figures("reward-bench-2", rows, answers);
    expect(told.Ties).toBeCloseTo(0.3 * 0.5 + 0.3 * 1 + 0.2 * 0.5 + 0.2 * 0.5 + 0.01 * margins);
    expect(() => read("reward-bench-2", [row("7", "Ties", ["a"], ["b"])])).toThrow("ref:N or tied:N");
  });

  it("ranks by a scalar model's own number, whatever the reward squashes it to", () => {
    const { raw } = specOf("reward-bench-2", { signals: { s: { kind: "scalar" } } }, null);
    expect(raw).toBe(true);
    const answer = scored("", [1, 1], { reported: [{ raw: 31 }, { raw: 30 }] });
    const rows = [row("1", "Math", ["r"], ["w"])];
    expect(figures("reward-bench-2", rows, [answer]).main).toBe(0.5);
    expect(figures("reward-bench-2", rows, [answer], { ...SETTINGS, raw }).main).toBe(1);
  });
});

describe("styles", () => {
  it("are easy where the right answer has more style, hard where the wrong one has, by domain", () => {
    const row = (domain: string) => ({ prompt: domain, chosen: ["a", "b", "c"], rejected: ["d", "e", "f"], domain });
    const rows = ["chat", "safety-refuse", "safety-response"].map(row);
    // Style alone decides: 1, 2, 3 on both sides. Then all right, then all wrong.
    const answers = [scored("", [1, 2, 3, 1, 2, 3]), scored("", [9, 9, 9, 1, 2, 3]), scored("", [0, 0, 0, 1, 2, 3])];
    const { told, main } = figures("rm-bench", rows, answers);
    expect(told).toMatchObject({ easy: 0.75, normal: 0.25, hard: 0.25, safety: 0.5 });
    expect(told.chat).toBeCloseTo(1 / 3);
    expect(main).toBeCloseTo((0.75 + 0.25 + 0.25) / 3);
    expect(figures("rm-bench", rows.slice(0, 1), [scored("", [1, 2, null, 1, 2, 3])]).main).toBe(0);
  });
});

describe("rows", () => {
  it("have unique ids, and rows that the API would refuse are excluded with its message", () => {
    const row = { id: "a", prompt: "p", completion: "c", label: true };
    const { items, omissions } = read("labelled", [row, row, { ...row, prompt: "x".repeat(300_000) }]);
    expect(items.map(({ id }) => id)).toEqual(["a", "a#2"]);
    expect(omissions.named).toEqual([expect.stringContaining("prompt_bytes")]);
  });

  it("are judged whole unless a spec says otherwise, with the model in the judge", () => {
    expect(specOf("verify-bench", null, "m").spec).toEqual({
      candidate: { extract: "whole" },
      signals: { right: { kind: "grade", judge: { preset: "compassverifier", model: "m" } } },
    });
    expect(() => specOf("labelled", { signals: { good: { kind: "grad" } } }, null)).toThrow("--spec: signals.good");
    for (const layout of Object.keys(LAYOUTS) as LayoutName[]) expect(() => specOf(layout, null, null)).not.toThrow();
  });
});
