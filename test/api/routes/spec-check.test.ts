// POST /v1/specs/check: canonical form, range, facts, cost and warnings, without a single question.
import { describe, expect, test } from "vitest";
import { signalsSpec } from "../../../scripts/build/openapi/examples.ts";
import { SpecCheckReplySchema } from "../../../src/api/routes/spec-check.ts";
import { problemOf, setUp, twoRollouts } from "./harness.ts";

const T = { kind: "tournament", judge: { max_tokens: 1000 } };

async function check(spec: unknown, query = "") {
  const { post, verifier } = setUp();
  const response = await post(`/v1/specs/check${query}`, spec);
  if (response.status !== 200) throw new Error(await response.text());
  expect(verifier.calls).toHaveLength(0);
  return SpecCheckReplySchema.parse(await response.json());
}

describe("a spec that is checked", () => {
  test("comes back in its canonical form, under the hash that judging gives it", async () => {
    const reply = await check(signalsSpec);
    const { post } = setUp();
    const judged = await post("/v1/rewards", {
      spec: signalsSpec,
      groups: [{ prompt: "p", rollouts: [{ text: "a" }, { text: "b" }] }],
    });
    expect(reply.spec_hash).toBe(((await judged.json()) as { spec_hash: string }).spec_hash);
    expect(await check(reply.spec)).toEqual(reply);
    expect(reply).toMatchObject({
      reward_range: [-1, 0.5],
      relative: true,
      facts: [],
      signals: {
        base: { kind: "tournament", range: [0, 1], relative: true },
        format: { kind: "format", range: [-2, 0], relative: false, cost: null },
      },
    });
  });

  test("tells what a group of n costs: each pair once, in both orders, as often as sampled", async () => {
    const cost = async (judge: object, n: number) =>
      (await check({ signals: { q: { ...T, judge: { ...T.judge, ...judge } } } }, `?n=${n}`)).cost;
    const whole = (generations: number, generations_max: number) => ({
      generations,
      generations_max,
      completion_tokens: generations * 1000,
      completion_tokens_max: generations_max * 1000,
    });
    // Each pair once more without a verdict; a probe of each candidate, and one trial of four samples.
    const aside = (n: number) => n + 4;
    expect(await cost({}, 16)).toMatchObject({ rollouts: 16, calls: 120, ...whole(120, 240 + aside(16)) });
    expect(await cost({ reask: 0 }, 16)).toMatchObject({ generations_max: 120 + aside(16) });
    expect(await cost({ reask: 3 }, 16)).toMatchObject({ generations_max: 480 + aside(16) });
    expect((await cost({ both_orders: true, samples: 3 }, 4)).generations).toBe(36);
    expect((await cost({ mode: "listwise", samples: 4 }, 5)).generations).toBe(4);
    expect((await cost({ mode: "listwise" }, 6)).generations).toBeNull();
    const two = { signals: { a: T, b: { ...T, when: "a > 0.5" } } };
    expect((await check(two, "?n=3")).cost).toMatchObject({ rollouts: 3, calls: 6, ...whole(6, 2 * (6 + 7)) });
  });

  test("estimates input tokens by the lengths of the texts, for a group and a step", async () => {
    const spec = { judge: { preset: "text-select", max_tokens: 100 } };
    const { cost, step } = await check(spec, "?n=4&groups=3&prompt_tokens=0&rollout_tokens=0");
    const frame = cost.prompt_tokens as number;
    expect(frame).toBeGreaterThan(6 * 50);
    expect(step).toEqual({ groups: 3, calls: 18, prompt_tokens: 3 * frame, completion_tokens: 1800 });
    const longer = await check(spec, "?n=4&prompt_tokens=7&rollout_tokens=100");
    // Six pairs, each with the prompt and two rollouts.
    expect(longer.cost.prompt_tokens).toBe(frame + 6 * (7 + 200));
    expect(longer.step).toMatchObject({ groups: 64, calls: 64 * 6 });
    expect((await check(spec, "?n=4")).cost.prompt_tokens).toBe(frame + 6 * (300 + 1200));
    expect((await check({ judge: { mode: "listwise" } }, "?n=6")).step).toMatchObject({ calls: null });
  });

  test("tells of a schedule in waves what the first costs, and all of them at most", async () => {
    const cost = async (schedule: unknown, judge: object = {}, n = 16) =>
      (await check({ judge: { schedule, max_tokens: 100, ...judge } }, `?n=${n}`)).cost;
    expect(await cost("swiss")).toMatchObject({ generations: 8 });
    // The questions of all waves, once more where unreadable, the first wave again without who is at fault,
    // and those that find the cause.
    const most = (all: number, first: number, n = 16) => ({ generations_max: 2 * (all + first) + n + 4 });
    expect(await cost("swiss")).toMatchObject(most(32 + 8, 8));
    expect(await cost("pivot")).toMatchObject({
      ...{ generations: 16, ...most(45 + 8 + 13, 16) },
      completion_tokens_max: 18_400,
    });
    const active = await cost("active");
    expect(active.generations).toBe(16);
    expect(active).toMatchObject(most(120, 16));
    const samples = { min: 2, max: 8 };
    expect(await cost("circular", { samples })).toMatchObject({ generations: 32, ...most(128, 32) });
    const close = await cost("round_robin", { both_orders: "when_close" }, 8);
    expect(close).toMatchObject({ generations: 28, ...most(56, 0, 8) });
    expect(await cost("knockout", { budget: { generations: 20 } })).toMatchObject({ generations_max: 20 });
    expect(await cost("active", { budget: { tokens: 3000 } })).toMatchObject({ completion_tokens_max: 3000 });
  });

  test("tells the facts that requests must carry", async () => {
    expect((await check({ overlong: { max_tokens: 10, cache_tokens: 5 } })).facts).toEqual(["length_tokens"]);
    expect(
      (await check({ signals: { q: T }, reward: "anneal(q, 1, 0, 9) + clamp(length / 100, 0, 1)" })).facts,
    ).toEqual(["length_tokens", "step"]);
  });

  test("of today's form has today's hash, and a range whose end may be none", async () => {
    const unclamped = { overlong: { max_tokens: 10, cache_tokens: 5, clamp: false }, reward: "wins" };
    const reply = await check(unclamped, "?n=5");
    expect(reply.reward_range).toEqual([null, 4]);
    const { call } = setUp();
    const stored = (await (await call("/v1/specs/default")).json()) as { spec_hash: string };
    expect((await check({})).spec_hash).toBe(stored.spec_hash);
    expect(stored).not.toHaveProperty("warnings");
  });
});

describe("a spec is warned of", () => {
  const F = { kind: "format", penalty: 1 };
  test.each([
    [{ signals: { q: T, f: { ...F, penalty: 2 } } }, ["auxiliary_outweighs: f"]],
    [{ signals: { q: T, f: { ...F, penalty: 2 } }, reward: "q + 0.5 * f" }, []],
    [
      { signals: { q: T, f: F }, reward: "zscore(q) + centre(f)" },
      ["normalised_twice: centre", "normalised_twice: zscore"],
    ],
    [{ signals: { q: T, f: F, g: F }, reward: "q" }, ["unused_signal: f", "unused_signal: g"]],
    [{ signals: { q: { ...T, when: "f == 0" }, f: F }, reward: "q" }, []],
    [{ signals: { q: { kind: "tournament" } } }, ["max_tokens_beyond_deadline: q"]],
    [{ judge: { max_tokens: 5000 } }, ["max_tokens_beyond_deadline: base"]],
  ])("%j", async (spec, warnings) => {
    expect((await check(spec)).warnings).toEqual(warnings);
  });

  test("a longer deadline has room for longer answers", async () => {
    expect((await check({ judge: { max_tokens: 5000 } }, "?deadline_ms=125000")).warnings).toEqual([]);
  });
});

test("a prompt that does not exist is refused by the field that named it, in either form of a spec", async () => {
  const paths = async (spec: object) => {
    const problem = await problemOf(await setUp().post("/v1/specs/check", spec));
    expect(problem.code).toBe("unknown_prompt");
    return problem.errors?.map(({ path }) => path);
  };
  for (const field of ["prompt", "preset"]) {
    const judge = { [field]: "mtbench" };
    expect(await paths({ judge })).toEqual([`judge.${field}`]);
    for (const kind of ["tournament", "grade"]) {
      expect(await paths({ signals: { own: { kind, judge } } })).toEqual([`signals.own.judge.${field}`]);
    }
  }
  const request = { spec: { judge: { preset: "mtbench" } }, ...twoRollouts() };
  const { errors, detail } = await problemOf(await setUp().post("/v1/rewards", request));
  expect(errors?.map(({ path }) => path)).toEqual(["spec.judge.preset"]);
  expect(detail).toContain('did you mean "mtbench-ab"?');
});

test("what is wrong with a spec is told by field, as where it is stored", async () => {
  const { post } = setUp();
  const refused = async (spec: unknown, query = "") => problemOf(await post(`/v1/specs/check${query}`, spec));
  expect((await refused({ signals: { q: { ...T, judge: { prompt: "none" } } } })).errors?.[0]?.path).toBe(
    "signals.q.judge.prompt",
  );
  expect((await refused({ signals: { f: { kind: "format", rules: [{ regex: "(a+)+" }] } } })).errors?.[0]?.path).toBe(
    "signals.f.rules[0].regex",
  );
  expect((await refused({ signals: { q: T }, reward: "q / length" })).errors?.[0]?.path).toBe("reward");
  expect((await refused({ judge: { samples: 0 } })).errors?.[0]?.path).toBe("judge.samples");
  expect((await refused({}, "?n=65")).errors?.[0]?.path).toBe("n");
});
