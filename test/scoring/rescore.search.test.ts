// Holds that a logged run scored again is what scoring it anew gives with the same verdicts, bit
// for bit, without asking anybody.

import { describe, expect, test } from "vitest";
import { hashText } from "../../src/core/math/random.ts";
import type { Spec } from "../../src/core/reward/spec.ts";
import { SCORES } from "../../src/core/tournament/score-table.ts";
import { fakeRunLog, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { fenced, groups, linesOf, logged, moody, parse, scored } from "./rescore-setup.ts";

const scoring: Script = (shown, { sample }) => {
  const scores = shown.map((text) => hashText("scores", sample, text)[0] % 11);
  return `\\boxed{[${scores.join(",")}]}`;
};

/** The result of scoring each group anew, in the words of a rescored line. */
async function anew(spec: Spec, given: unknown, script: Script) {
  const { reply } = await scored(spec, given, script);
  return reply.groups.map(({ rollouts }) => {
    const names = Object.keys(rollouts[0]?.components ?? {});
    return {
      rewards: rollouts.map(({ reward }) => reward),
      errors: rollouts.map(({ error }) => error),
      columns: Object.fromEntries(names.map((name) => [name, rollouts.map((one) => one.components[name] ?? null)])),
    };
  });
}

async function expectSame(was: unknown, next: unknown, given: unknown, script: Script) {
  const runLog = await logged(parse(was), given, script);
  const lines = (await linesOf(runLog, parse(next))).filter(({ type }) => type === "group");
  const fresh = await anew(parse(next), given, script);
  const told = lines.map(({ rewards, errors, columns }) => ({ rewards, errors, columns: columns as object }));
  // A spec without signals has all three in every reply.
  const filled = told.map((line) => ({
    ...line,
    columns: "signals" in (next as object) ? line.columns : { overlong: line.rewards && zeros(line), ...line.columns },
  }));
  expect(filled).toEqual(fresh);
}

const zeros = ({ rewards }: { rewards: unknown }) => (rewards as unknown[]).map(() => 0);

const RULES = [["has_candidate"], ["has_candidate", "judgeable"]];

const JUDGES: { judge: object; script: Script; scores: string[] }[] = [
  { judge: {}, script: moody, scores: Object.keys(SCORES).filter((name) => name !== "mean_score") },
  { judge: { both_orders: true, samples: 3, unparsed: "tie" }, script: moody, scores: ["soft", "strength", "wins"] },
  { judge: { schedule: "swiss", min_decided: 0.5 }, script: moody, scores: ["win_rate", "strength", "copeland"] },
  { judge: { mode: "listwise", schedule: "blocks" }, script: moody, scores: ["win_rate", "top1", "soft"] },
  {
    judge: { mode: "listwise", schedule: { name: "blocks", size: 3, cover: 2 } },
    script: moody,
    scores: ["win_rate", "top1", "soft"],
  },
  { judge: { budget: { generations: 24 }, reask: 2 }, script: moody, scores: ["win_rate", "strength", "wins"] },
  { judge: { form: "scores" }, script: scoring, scores: ["mean_score", "win_rate", "net_win_rate"] },
];

describe("a run scored again is what scoring it anew gives", () => {
  test.each(JUDGES)("under every other score of $judge", async ({ judge, script, scores }) => {
    const pick = fc.constantFrom(...scores);
    await fc.assert(
      fc.asyncProperty(groups, pick, pick, fc.constantFrom(...RULES), async (given, was, now, rules) => {
        const spec = { judge, format: { rules } };
        await expectSame({ ...spec, reward: was }, { ...spec, reward: now }, given, script);
      }),
      { numRuns: 50 },
    );
  });

  const quality = { kind: "tournament", score: "win_rate" };
  const signals = {
    tests: { kind: "tests", score: "rate" },
    quality: { ...quality, when: "tests > 0", skip_value: -0.5 },
    other: { kind: "tournament", judge: { samples: 3 }, score: "soft" },
    format: { kind: "format", rules: ["has_candidate", "judgeable", "fits"], penalty: 1 },
  };
  const spec = { signals, reward: "quality + tests + other + format" };
  const NEXT: Record<string, object> = {
    "the same spec": spec,
    "another expression": { ...spec, reward: "if(tests == 1, 1, 0.3 * zscore(quality)) + rank(other)" },
    "length and step": { ...spec, reward: "cosine(length / 200, 1, 0) * anneal(1, 0, 0, 10) + centre(quality)" },
    "other scores": {
      ...spec,
      signals: {
        ...signals,
        quality: { ...signals.quality, score: "copeland" },
        other: { ...signals.other, score: "wins" },
      },
    },
    "another penalty and another value of what was skipped": {
      ...spec,
      signals: {
        ...signals,
        format: { ...signals.format, penalty: 0.25 },
        quality: { ...signals.quality, skip_value: 0.1 },
      },
    },
    "new lengths": {
      signals: {
        ...signals,
        short: { kind: "length", form: "linear", max: 150 },
        overlong: { kind: "overlong", max_tokens: 100, cache_tokens: 50 },
        kimi: { kind: "length", form: "kimi", when: "tests == 1" },
      },
    },
    "signals that it does not use": {
      ...spec,
      reward: "other",
    },
  };
  test.each(Object.entries(NEXT))("of signals, under %s", async (_, next) => {
    await fc.assert(
      fc.asyncProperty(groups, async (given) => expectSame(spec, next, given, moody)),
      { numRuns: 50 },
    );
  });

  test("of what looks at one rollout, asked for fewer", async () => {
    const grade = { kind: "grade", judge: { preset: "yes-no" } };
    const was = { signals: { tests: { kind: "tests" }, grade } };
    const next = { signals: { ...was.signals, grade: { ...grade, when: "tests < 1", skip_value: 1 } } };
    await fc.assert(
      fc.asyncProperty(groups, async (given) => expectSame(was, next, given, moody)),
      { numRuns: 50 },
    );
  });

  test("where a spec without signals is written with them, under names of its own", async () => {
    const next = {
      signals: {
        quality: { kind: "tournament", score: "net_win_rate" },
        shape: { kind: "format", rules: ["has_candidate", "fits"], penalty: 2 },
      },
      reward: "max(quality, 0) + shape",
    };
    await fc.assert(
      fc.asyncProperty(groups, async (given) => expectSame({}, next, given, moody)),
      { numRuns: 50 },
    );
  });

  test("asking nobody, in the log's order, within the steps asked for", async () => {
    const given = [[{ text: fenced("print(1)") }, { text: fenced("print(2)") }]];
    const runLog = fakeRunLog();
    for (const step of [1, 2, 3]) await logged(parse({}), given, moody, runLog, step);
    const steps = async (from: number | null, to: number | null) =>
      (await linesOf(runLog, parse({ reward: "top1" }), { from, to })).map(
        ({ type, step, groups: n }) => step ?? `${type} ${n}`,
      );
    expect(await steps(null, null)).toEqual([1, 2, 3, "end 3"]);
    expect(await steps(2, 2)).toEqual([2, "end 1"]);
    expect(await steps(9, null)).toEqual(["end 0"]);
  });
});
