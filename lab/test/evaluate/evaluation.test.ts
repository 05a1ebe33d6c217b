// An evaluation: which lists count where, intervals, tags, warnings.
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/math/random.ts";
import vectors from "../../../test/vectors/kendall_tau_b.json" with { type: "json" };
import { type EvaluationList, evaluate } from "../../evaluate/figures/evaluation.ts";

const run = (lists: EvaluationList[], more: object = {}) =>
  evaluate({ lists, bootstrap: 200, seed: 0, undefined_tau: "drop", ...more });

describe("list_acc", () => {
  it.each([
    ["the selected one has the highest pass rate", { pass_rates: [0.2, 1], selected: 1 }, 1],
    ["the selected one shares the highest pass rate", { pass_rates: [1, 1, 0], selected: 1 }, 1],
    ["another has a higher one", { pass_rates: [0.2, 1], selected: 0 }, 0],
    ["nothing was selected", { pass_rates: [0.2, 1], selected: null }, 0],
    ["selected goes before win counts", { pass_rates: [0.2, 1], selected: 0, win_counts: [0, 1] }, 0],
    ["null selected goes before win counts", { pass_rates: [0.2, 1], selected: null, win_counts: [0, 1] }, 0],
    ["the one maximum of the win counts selects", { pass_rates: [0.2, 1], win_counts: [0, 1] }, 1],
    ["a shared maximum selects nothing", { pass_rates: [0.2, 1, 0], win_counts: [1, 1, 0] }, 0],
    ["neither is given", { pass_rates: [0.2, 1] }, null],
    ["there is no choice", { pass_rates: [0.2], selected: 0 }, null],
  ])("%s", (_, list, expected) => {
    expect(run([list]).list_acc).toMatchObject({ mean: expected, n: expected === null ? 0 : 1 });
  });
});

describe("tau_b", () => {
  const lists = [
    { pass_rates: [0.1, 0.4, 1], win_counts: [0, 0, 2] },
    { pass_rates: [0.1, 0.4, 1], win_counts: [1, 1, 1] },
    { pass_rates: [1, 1], win_counts: [1, 0] },
    { pass_rates: [1], win_counts: [0] },
    { pass_rates: [0.1, 1] },
  ];
  const tau = Math.sqrt(2 / 3);

  it("counts undefined lists and gives every mean; a list of one is undefined but in no mean", () => {
    const { tau_b } = run(lists);
    expect(tau_b).toMatchObject({ n: 1, undefined: 3 });
    expect(tau_b.mean).toBeCloseTo(tau, 12);
    expect(tau_b.mean_zero).toBeCloseTo(tau / 3, 12);
    expect(tau_b.mean_minus_one).toBeCloseTo((tau - 2) / 3, 12);
  });

  it.each([
    ["drop", tau, 1],
    ["zero", tau / 3, 3],
    ["minus_one", (tau - 2) / 3, 3],
  ])("undefined_tau %s decides the mean and its n", (undefined_tau, expected, n) => {
    const { tau_b } = run(lists, { undefined_tau });
    expect(tau_b.mean).toBeCloseTo(expected, 12);
    expect(tau_b.n).toBe(n);
  });

  it("reproduces the released per-list values over the golden lists", () => {
    const cases = vectors.cases.filter(({ n, x }) => n > 0 && x.every((v) => v >= 0));
    const inRange = cases.filter(({ y }) => y.every((v) => v >= 0 && v <= 1));
    expect(inRange.length).toBeGreaterThan(20);
    const values = inRange.map((c) => c.aletheia_list_value).filter((value) => value !== null);
    const { tau_b } = run(inRange.map(({ x, y }) => ({ pass_rates: y, win_counts: x })));
    expect(tau_b.mean_minus_one).toBeCloseTo(values.reduce((a, b) => a + b, 0) / values.length, 12);
  });
});

describe("parse_rate and warnings", () => {
  const list = (parsed: number, generations: number) => ({
    pass_rates: [0, 1],
    win_counts: [0, 1],
    parsed,
    generations,
  });
  it.each([
    [[list(79, 100)], 0.79, ["parse_rate_low"]],
    [[list(80, 100)], 0.8, ["parse_rate_watch"]],
    [[list(94, 100)], 0.94, ["parse_rate_watch"]],
    [[list(95, 100)], 0.95, []],
    [[list(0, 10), list(90, 90), list(0, 0)], 0.9, ["parse_rate_watch"]],
    [[list(0, 0)], null, ["parse_rate_missing"]],
    [[{ pass_rates: [0, 1], win_counts: [0, 1] }], null, ["parse_rate_missing"]],
    [[{ pass_rates: [0, 1], generations: 5 }], null, ["parse_rate_missing"]],
  ])("case %#: the ratio of the sums and its warning", (lists, mean, warnings) => {
    const reply = run(lists);
    expect(reply.parse_rate.mean).toBe(mean);
    expect(reply.warnings).toEqual(warnings);
  });
});

describe("intervals", () => {
  const random = createRandom(5);
  const lists = Array.from({ length: 300 }, (_, i) => ({
    pass_rates: [0, 0.5, 1],
    win_counts: random() < 0.5 ? [0, 1, 2] : [2, 1, 0],
    parsed: i % 4,
    generations: 3 + (i % 2),
    tags: { language: i % 3 === 0 ? "python" : "cpp", long: i % 2 === 0 },
  }));

  it("contain the mean, repeat for one seed, and differ for another", () => {
    const reply = run(lists, { seed: 9 });
    for (const { mean, ci95, n } of [reply.list_acc, reply.tau_b, reply.parse_rate]) {
      const [low, high] = ci95 as [number, number];
      expect(n).toBe(300);
      expect(low).toBeLessThan(mean as number);
      expect(high).toBeGreaterThan(mean as number);
    }
    expect(run(lists, { seed: 9 })).toEqual(reply);
    expect(run(lists, { seed: 10 }).tau_b.ci95).not.toEqual(reply.tau_b.ci95);
  });

  it("are omitted with bootstrap 0 and if no list counts", () => {
    expect(run(lists, { bootstrap: 0 }).tau_b.ci95).toBeNull();
    expect(run([{ pass_rates: [0, 1] }]).tau_b).toEqual({
      mean: null,
      ci95: null,
      n: 0,
      undefined: 0,
      mean_zero: null,
      mean_minus_one: null,
    });
  });

  it("of the whole do not change when tags are added", () => {
    const { by_tag, ...tagged } = run(lists);
    const { by_tag: none, ...plain } = run(lists.map(({ tags: _, ...list }) => list));
    expect(tagged).toEqual(plain);
    expect(none).toEqual({});
    expect(Object.keys(by_tag)).toEqual(["language", "long"]);
  });

  it("and means by tag are those of the tag's lists, each over its own lists", () => {
    const reply = run(lists);
    const python = run(lists.filter(({ tags }) => tags.language === "python"));
    expect(reply.by_tag.language?.python?.list_acc.mean).toBe(python.list_acc.mean);
    expect(reply.by_tag.long?.true?.list_acc.n).toBe(150);
  });
});

describe("bounds", () => {
  it("a tag named like a prototype member is a tag", () => {
    const tags = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const { by_tag } = evaluate({
      lists: [{ pass_rates: [0, 1], selected: 1, tags }],
      bootstrap: 0,
      seed: 0,
      undefined_tau: "drop",
    });
    expect(Object.keys(by_tag)).toEqual(["__proto__", "constructor"]);
  });
});
