// The guarantees of the example problems: their counts, their variety, and that every generated file follows
// from its sources.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findSamples } from "../../../gpu-backend/engines/cpu/samples.ts";
import type { TestCase } from "../../../gpu-backend/engines/cpu/test-cases.ts";
import { extractCandidate, normaliseCandidate } from "../../../src/core/candidate/extract.ts";
import { GroupSchema } from "../../../src/core/contract/group.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { RewardsRequestSchema } from "../../../src/core/reward/requests.ts";
import { buildGroups, generatedFiles, lengthTokens, PASS_RATES_FILE, type PassRates } from "../../problems/groups.ts";
import { toTestCase } from "../../problems/measure.ts";
import { loadProblems, type Problem } from "../../problems/problem.ts";

const problems = await loadProblems();
const passRates: PassRates = JSON.parse(readFileSync(PASS_RATES_FILE, "utf8"));

const measuresOf = (problem: Problem) => passRates.problems[problem.id]?.rollouts ?? [];

const candidatesOf = (problem: Problem) =>
  problem.rollouts.map(({ text }) => extractCandidate(text, DEFAULT_SPEC.candidate, problem.language).candidate);

const classesOf = (problem: Problem) =>
  candidatesOf(problem)
    .filter((candidate) => candidate !== null)
    .map(normaliseCandidate);

/**
 * Whether two tests ask and expect the same; how strictly a call is compared is the statement's
 * layout's choice.
 */
const essence = (sample: TestCase) => (sample.kind === "call" ? { ...sample, strict: true } : sample);

describe("the collection", () => {
  test("has at least 12 problems of at least 8 kinds, in Python and JavaScript", () => {
    const inLanguage = (language: string) => problems.filter((problem) => problem.language === language).length;
    expect(problems.length).toBeGreaterThanOrEqual(12);
    expect(new Set(problems.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(8);
    expect(inLanguage("python")).toBeGreaterThanOrEqual(8);
    expect(inLanguage("javascript")).toBeGreaterThanOrEqual(4);
    expect(problems.filter(({ hidden }) => hidden[0]?.kind === "call").length).toBeGreaterThanOrEqual(3);
  });

  test("contains rollouts without a program, truncated ones, unclosed thinking, duplicates and duplicates up to whitespace", () => {
    const rollouts = problems.flatMap((problem) => problem.rollouts);
    const count = (found: readonly unknown[]) => found.length;
    const duplicates = problems.map((problem) => {
      const exact = candidatesOf(problem).filter((candidate) => candidate !== null);
      const classes = new Set(classesOf(problem)).size;
      return { exact: new Set(exact).size < exact.length, upToBlanks: classes < new Set(exact).size };
    });
    expect(count(rollouts.filter(({ text }) => !text.includes("```")))).toBeGreaterThanOrEqual(3);
    expect(count(rollouts.filter(({ finish_reason }) => finish_reason === "length"))).toBeGreaterThanOrEqual(5);
    expect(
      count(rollouts.filter(({ text }) => text.includes("<think>") && !text.includes("</think>"))),
    ).toBeGreaterThan(2);
    expect(count(duplicates.filter(({ exact }) => exact))).toBeGreaterThanOrEqual(3);
    expect(count(duplicates.filter(({ upToBlanks }) => upToBlanks))).toBeGreaterThanOrEqual(3);
  });

  test("in at least 3 problems the shown tests cannot tell all programs of different pass rates apart", () => {
    const untold = problems.filter((problem) => {
      const best = measuresOf(problem).filter(({ samples_passed }) => samples_passed === problem.samples.length);
      return new Set(best.map(({ pass_rate }) => pass_rate)).size > 1;
    });
    expect(untold.length).toBeGreaterThanOrEqual(3);
  });

  test("fits one rewards request", () => {
    const parsed = RewardsRequestSchema.safeParse({ groups: buildGroups(problems, passRates) });
    expect(parsed.error?.issues ?? []).toEqual([]);
  });
});

describe.each(problems.map((problem) => ({ id: problem.id, problem })))("$id", ({ problem }) => {
  const { statement, samples, hidden, rollouts } = problem;

  test("shows 2 or 3 tests, and the reference solution agrees with each", () => {
    expect(samples.length).toBeGreaterThanOrEqual(2);
    expect(samples.length).toBeLessThanOrEqual(3);
    expect(findSamples(statement).map(essence)).toEqual(samples.map(toTestCase));
  });

  test("has at least 10 different hidden tests, none of them in the statement", () => {
    const key = (each: Problem["hidden"][number]) => JSON.stringify(each.kind === "stdio" ? each.input : each.args);
    const hiddenKeys = new Set(hidden.map(key));
    expect(hiddenKeys.size).toBe(hidden.length);
    expect(hiddenKeys.size).toBeGreaterThanOrEqual(10);
    expect(samples.map(key).filter((shown) => hiddenKeys.has(shown))).toEqual([]);
    const inputs = hidden.flatMap((each) => (each.kind === "stdio" ? each.input.trim() : []));
    // Shorter ones, such as a lone count, are in any text by chance.
    expect(inputs.filter((input) => input.length >= 4 && statement.includes(input))).toEqual([]);
  });

  test("has 4 to 8 rollouts, and its different programs fit one list", () => {
    expect(rollouts.length).toBeGreaterThanOrEqual(4);
    expect(rollouts.length).toBeLessThanOrEqual(8);
    const classes = new Set(classesOf(problem)).size;
    expect(classes).toBeGreaterThanOrEqual(3);
    expect(classes).toBeLessThanOrEqual(LIMITS.list_candidates_max);
  });

  test("has a rollout that passes everything, one that only passes what is shown, and one that fails what is shown", () => {
    const measures = measuresOf(problem).filter(({ candidate }) => candidate);
    const passesShown = measures.filter(({ samples_passed }) => samples_passed === samples.length);
    expect(passesShown.filter(({ pass_rate }) => pass_rate === 1)).not.toEqual([]);
    expect(passesShown.filter(({ pass_rate }) => pass_rate < 1)).not.toEqual([]);
    expect(measures.filter(({ samples_passed }) => samples_passed < samples.length)).not.toEqual([]);
  });

  test("where the shown tests separate two programs, the hidden tests rank them the same way", () => {
    const measures = measuresOf(problem).filter(({ candidate }) => candidate);
    const contradicted = measures.flatMap((a) =>
      measures
        .filter((b) => a.samples_passed > b.samples_passed && a.pass_rate <= b.pass_rate)
        .map((b) => `${a.file} against ${b.file}`),
    );
    expect(contradicted).toEqual([]);
  });

  test("labels each rollout with the measured share of hidden tests, 0 without a candidate", () => {
    const measures = measuresOf(problem);
    expect(measures.map(({ file }) => file)).toEqual(rollouts.map(({ file }) => file));
    expect(measures.map(({ candidate }) => candidate)).toEqual(candidatesOf(problem).map((c) => c !== null));
    for (const { candidate, hidden_passed, pass_rate, failures } of measures) {
      const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
      expect(pass_rate).toBe(hidden_passed / hidden.length);
      expect(hidden_passed + failed).toBe(candidate ? hidden.length : 0);
    }
  });

  test("makes a group that the contract accepts", () => {
    const [group] = buildGroups([problem], passRates);
    expect(GroupSchema.parse(group)).toEqual(group);
    expect(group?.rollouts.map(({ length_tokens }) => length_tokens)).toEqual(
      rollouts.map(({ text }) => lengthTokens(text)),
    );
  });
});

test("every generated file matches its sources", () => {
  const stale = generatedFiles(problems, passRates).filter(({ file, text }) => readFileSync(file, "utf8") !== text);
  expect(stale.map(({ file }) => file.pathname)).toEqual([]);
});
