// The totals of scoring a run again, and its refusals where the log does not suffice.
import { describe, expect, test } from "vitest";
import { ApiError } from "../../src/core/faults/errors.ts";
import { rescoreRun } from "../../src/scoring/rescore.ts";
import { ALL, fenced, type Line, linesOf, logged, moody, parse, RUN } from "./rescore-setup.ts";

describe("the summary", () => {
  test("tells moments, flat groups, tau-b and whose best changed, of groups complete under both", async () => {
    const tests = (passed: number) => [0, 1, 2, 3].map((t) => ({ status: t < passed ? "pass" : "fail" }));
    const of = (rates: number[], lengths: number[]) =>
      rates.map((passed, r) => ({ text: "x", tests: tests(passed), length_tokens: lengths[r] as number }));
    const given = [of([4, 2, 0], [10, 50, 90]), of([1, 1], [5, 95]), [{ text: "x", tests: [], length_tokens: 1 }]];
    const signals = { tests: { kind: "tests" } };
    const runLog = await logged(parse({ signals }), given, moody);
    const lines = await linesOf(runLog, parse({ signals, reward: "tests * 0 + clamp(length / 100, 0, 1)" }));
    const end = lines.at(-1) as Line;
    expect(end).toMatchObject({ type: "end", groups: 3, rollouts: 6, complete: 2, best_changed_share: 0.5 });
    expect(end).toMatchObject({ rank_correlation: { kind: "kendall_tau_b", mean: -1, groups: 1, undefined: 1 } });
    expect(end).toMatchObject({
      old: { nulls: 1, zero_variance_share: 0.5 },
      new: { nulls: 1, zero_variance_share: 0 },
    });
    const { old, new: now } = end as unknown as Record<"old" | "new", { mean: number; std: number }>;
    expect(old.mean).toBeCloseTo(0.4, 12);
    expect(now.mean).toBeCloseTo(0.5, 12);
    expect(now.std).toBeCloseTo(Math.sqrt((0.4 ** 2 + 0.4 ** 2 + 0.45 ** 2 + 0.45 ** 2) / 5), 12);
  });
});

describe("what the log does not tell is refused before anything is told, naming it", () => {
  const given = [
    [
      { text: fenced("print(1)"), tests: [{ status: "pass" }] },
      { text: fenced("print(2)"), tests: [] },
    ],
  ];
  const signals = {
    tests: { kind: "tests" },
    quality: { kind: "tournament", when: "tests > 0" },
    form: { kind: "format", rules: ["has_candidate"] },
  };
  const quality = { kind: "tournament" };
  const REFUSED: Record<string, [object, object, string]> = {
    "another judge": [{}, { judge: { both_orders: true } }, "spec.judge"],
    "another prompt": [{}, { judge: { preset: "text-select" } }, "spec.judge"],
    "another seed": [{}, { seed: 1 }, "spec.judge"],
    "other candidates": [{}, { candidate: { extract: "whole" } }, "spec.format"],
    "another schedule": [{}, { judge: { schedule: "swiss" } }, "spec.judge"],
    "a score by the order of play": [
      { judge: { schedule: "swiss" } },
      { judge: { schedule: "swiss" }, reward: "rank" },
      "spec.judge",
    ],
    "format rules that keep others out": [{}, { format: { rules: ["closed_think"] } }, "spec.judge"],
    "a judge that was not there": [{}, { signals: { grade: { kind: "grade" } } }, "spec.signals.grade"],
    "facts that are not logged": [
      { signals },
      { signals: { tests: { kind: "tests", score: "all_pass" } } },
      "spec.signals.tests",
    ],
    "rollouts that were not asked about": [{ signals }, { signals: { ...signals, quality } }, "spec.signals.quality"],
    "other neighbours": [
      { signals: { tests: { kind: "tests" }, quality } },
      { signals: { tests: { kind: "tests" }, quality: { ...quality, when: "tests > 0" } } },
      "spec.signals.quality",
    ],
    "a format by verdicts that it leaves out": [
      { signals: { quality, form: { kind: "format", rules: ["judgeable"] } } },
      { signals: { form: { kind: "format", rules: ["judgeable"] } } },
      "spec.signals.form",
    ],
    "a `when` over another value": [
      { signals: { ...signals, quality: { ...quality, when: "form < 0" } } },
      { signals: { ...signals, form: { ...signals.form, penalty: 2 }, quality: { ...quality, when: "form < 0" } } },
      "spec.signals.quality",
    ],
  };
  test.each(Object.entries(REFUSED))("%s", async (_, [was, next, path]) => {
    const runLog = await logged(parse(was), given, moody);
    const fault = await rescoreRun(runLog, RUN, parse(next), ALL).catch((error) => error);
    expect(fault).toBeInstanceOf(ApiError);
    expect(fault).toMatchObject({ code: "needs_judging" });
    expect((fault as ApiError).errors.map((one) => one.path)).toContain(path);
  });

  test("lengths and steps that were not sent", async () => {
    const runLog = await logged(parse({}), given, moody);
    const overlong = { max_tokens: 10, cache_tokens: 5 };
    await expect(rescoreRun(runLog, RUN, parse({ overlong }), ALL)).rejects.toMatchObject({
      code: "length_tokens_required",
    });
    for (const entry of runLog.entries) entry.step = null;
    const annealed = parse({ signals: { quality }, reward: "quality * anneal(0, 1, 0, 10)" });
    await expect(rescoreRun(runLog, RUN, annealed, ALL)).rejects.toMatchObject({
      code: "invalid_request",
      errors: [{ path: "from_step" }],
    });
  });

  test("prompts whose words have changed since", async () => {
    const runLog = await logged(parse({}), given, moody);
    for (const entry of runLog.entries) entry.spec_hash = "sha256:of-other-words";
    await expect(rescoreRun(runLog, RUN, parse({}), ALL)).rejects.toMatchObject({ code: "needs_judging" });
  });
});
