// Specs of named signals over HTTP: values by hand, cascades, several tournaments, columns, ranges,
// the toy kind.

import { describe, expect, test, vi } from "vitest";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { ITEM_ERRORS } from "../../src/core/faults/errors.ts";
import { fenced, longest, setUp } from "../api/routes/harness.ts";
import { F, refused, request, rewarded, T } from "../api/routes/signals-setup.ts";
import { fakeSpecStore, preferring, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";

/** A kind in one file and one line: the share of vowels in a rollout, which needs no verifier. */
vi.mock("../../src/core/reward/table.ts", async (original) => {
  const { SIGNALS } = await original<typeof import("../../src/core/reward/table.ts")>();
  const { toy } = await import("../api/routes/toy-signal.ts");
  return { SIGNALS: [...SIGNALS, toy] };
});

describe("a spec of signals", () => {
  test("gives the value of a hand calculation", async () => {
    const spec = { signals: { base: T, format: F }, reward: "0.5 * base + clamp(format, -1, 0)" };
    // Win rates of three by length, one malformed: 1, 2/3, 1/3, 0; the format's -2 is clamped to
    // -1.
    const { reply, rewards } = await rewarded(spec, ["cccc", "bbb", "aa", null]);
    expect(rewards).toEqual([0.5, 0.5 * (2 / 3), 0.5 * (1 / 3), -1]);
    expect(reply.reward_range).toEqual([-1, 0.5]);
    expect(reply.groups[0]?.rollouts.map(({ components }) => components)).toEqual([
      { base: 1, format: 0 },
      { base: 2 / 3, format: 0 },
      { base: 1 / 3, format: 0 },
      { base: 0, format: -2 },
    ]);
    // Ranks 4, 3, 2, 1 beside 3, 3, 3, 1.
    expect(reply.groups[0]?.metrics.parts_correlation).toBeCloseTo(3 / Math.sqrt(15), 12);
    expect(reply.groups[0]?.win_counts).toEqual([3, 2, 1, 0]);
    expect(reply.groups[0]?.selected).toBe(0);
  });

  test("that says what today's form says gives the same rewards and counts, under another hash", async () => {
    const overlong = { max_tokens: 30, cache_tokens: 20 };
    const codes = ["cccc", "bbb", "bbb", null];
    const today = await rewarded({ format: { penalty: 2 }, overlong, reward: "wins" }, codes);
    const signals = { base: { ...T, score: "wins" }, format: F, overlong: { kind: "overlong", ...overlong } };
    const named = await rewarded({ signals }, codes);
    expect(named.rewards).toEqual(today.rewards);
    const { verifier, rollouts: one, ...group } = named.reply.groups[0] as (typeof named.reply.groups)[0];
    const withoutErrors = one.map(({ errors: _, ...rollout }) => rollout);
    const { parts_correlation: _, ...metrics } = group.metrics;
    expect({ ...group, metrics, verifier, rollouts: withoutErrors }).toEqual(today.reply.groups[0]);
    expect(named.reply.spec_hash).not.toBe(today.reply.spec_hash);
    expect(today.reply).not.toHaveProperty("reward_range");
  });

  test("without a relative signal scores a rollout alone and asks nobody", async () => {
    const { rewards, verifier } = await rewarded({ signals: { format: F } }, [null]);
    expect(rewards).toEqual([-2]);
    expect(verifier.calls).toHaveLength(0);
  });

  test("has the same hash whatever the order of its signals, and another for another expression", async () => {
    const hash = async (spec: unknown) => (await rewarded(spec, ["a", "bb"])).reply.spec_hash;
    const one = await hash({ signals: { base: T, format: F } });
    expect(
      await hash({ signals: { format: F, base: { kind: "tournament", score: "win_rate" } }, reward: "base + format" }),
    ).toBe(one);
    expect(await hash({ signals: { base: T, format: F }, reward: "base + 2 * format" })).not.toBe(one);
  });
});

describe("a failure of a signal", () => {
  const failing: Script = (shown) =>
    shown.some((code) => code.includes("bad")) ? { error: "verifier_unavailable" } : longest(shown, undefined as never);

  test("spreads to the reward under its code, and to nothing that does not use it", async () => {
    const spec = { signals: { base: T, format: F }, reward: "if(format < 0, -1, base)" };
    const { reply, rewards } = await rewarded(spec, ["bad", "bad and longer", null], {}, failing);
    expect(rewards).toEqual([null, null, -1]);
    const [first, , malformed] = reply.groups[0]?.rollouts ?? [];
    expect(first).toMatchObject({
      error: "verifier_unavailable",
      components: { base: null, format: 0 },
      errors: { base: "verifier_unavailable", format: null },
    });
    expect(malformed).toMatchObject({ error: null, components: { format: -2 }, errors: { format: null } });
    const keys = reply.groups[0]?.rollouts.map(({ components, errors = {} }) => [
      Object.keys(components),
      Object.keys(errors),
    ]);
    expect(new Set(keys?.map((one) => JSON.stringify(one))).size).toBe(1);
  });
});

describe("a cascade", () => {
  test("asks only the rollouts for which `when` holds, and gives the others skip_value", async () => {
    const signals = {
      format: { ...F, rules: [{ regex: "ok" }], penalty: 1 },
      long: { ...T, when: "length > 15", skip_value: 0.25 },
    };
    const { reply, rewards, verifier } = await rewarded({ signals, reward: "long" }, [
      "ok4444",
      "ok1",
      "ok22",
      "ok333",
    ]);
    // The first is 10 tokens long, so left out; of the others, compared among themselves, the
    // longest program wins both.
    expect(rewards).toEqual([0.25, 0, 0.5, 1]);
    expect(verifier.jobs[0]?.candidates).toEqual(["ok1", "ok22", "ok333"]);
    expect(reply.groups[0]?.win_counts).toEqual([null, 0, 1, 2]);
    expect(reply.groups[0]?.verifier.comparisons).toBe(3);
    expect(reply.groups[0]?.selected).toBe(3);
  });

  test("waits for the answers of the signal it names, and asks a judge of its own", async () => {
    const signals = {
      broad: { ...T, judge: { temperature: 0.1 } },
      fine: { ...T, judge: { temperature: 0.9, samples: 2 }, when: "broad > 0.4" },
    };
    const { rewards, verifier } = await rewarded({ signals, reward: "broad + fine" }, ["aaaa", "bbb", "cc", "d"]);
    expect(rewards).toEqual([2, 2 / 3, 1 / 3, 0]);
    expect(verifier.calls.map(({ temperature }) => temperature).sort()).toEqual([0.1, 0.9]);
    expect(verifier.calls[0]?.header_slots).toBe(verifier.calls[1]?.header_slots);
    expect(verifier.jobs.map(({ questions }) => questions.length)).toEqual([6, 1]);
  });

  test("logs of each verdict the signal whose question it answers", async () => {
    const signals = { broad: T, fine: { ...T, when: "broad > 0.4" } };
    const { call, reply } = await rewarded({ signals, reward: "broad + fine" }, ["aaaa", "bbb", "cc", "d"]);
    const response = await call(`/v1/groups/${reply.request_id}.0/verdicts`);
    const { verdicts } = (await response.json()) as { verdicts: { signal: string; order: number[] }[] };
    const asked = verdicts.map(({ signal, order }) => `${signal} ${[...order].sort().join("")}`);
    expect(asked.sort()).toEqual(["broad 01", "broad 02", "broad 03", "broad 12", "broad 13", "broad 23", "fine 01"]);
  });

  test.each([
    [{ a: { ...T, when: "b > 0" }, b: { ...T, when: "a > 0" } }, "spec.signals.a.when"],
    [{ a: { ...T, when: "a > 0" } }, "spec.signals.a.when"],
    [{ a: { ...T, when: "f == 0" }, f: { ...F, rules: ["judgeable"] } }, "spec.signals.a.when"],
    [{ a: { ...T, when: "nobody > 0" } }, "spec.signals.a.when"],
    [{ a: { ...T, skip_value: 1 } }, "spec.signals.a.skip_value"],
    [{ a: { ...T, judge: { mode: "listwise" }, schedule: "round_robin" } }, "spec.signals.a.schedule"],
  ])("%# is refused by field where it cannot be", async (signals, path) => {
    const { code, errors } = await refused({ signals });
    expect(code).toBe("invalid_request");
    expect(errors.map((error) => error.path)).toEqual([path]);
  });
});

test("one row a rollout and signal is logged, and says whom `when` left out", async () => {
  const signals = { q: { ...T, when: "format == 0", skip_value: -1 }, format: F };
  const { runLog } = await rewarded({ signals, reward: "q" }, ["aa", "b", null]);
  const row = (rollout_index: number, signal: string, value: number, detail: object | null = null) => ({
    ...{ rollout_index, signal, value, code: null, detail },
  });
  expect(runLog.entries[0]?.groups[0]?.signals).toEqual([
    ...[row(0, "format", 0), row(1, "format", 0), row(2, "format", -2)],
    ...[row(0, "q", 1), row(1, "q", 0), row(2, "q", -1, { skipped: true })],
  ]);
  expect((await rewarded("default", ["aa", "b"])).runLog.entries[0]?.groups[0]).not.toHaveProperty("signals");
});

test("columns are asked for, in today's form too", async () => {
  const { reply } = await rewarded({ signals: { base: T, format: F } }, ["aa", "b"], { columns: true });
  expect(reply.columns).toEqual({ base: [[1, 0]], format: [[0, 0]] });
  const today = await rewarded("default", ["aa", "b"], { columns: true });
  expect(today.reply.columns).toEqual({ base: [[1, 0]], format: [[0, 0]], overlong: [[0, 0]] });
  expect((await rewarded("default", ["aa", "b"])).reply).not.toHaveProperty("columns");
});

test("a kind of one file and one line works over HTTP, with its range and refusals", async () => {
  const spec = { signals: { vowels: { kind: "toy", scale: 4 }, base: T }, reward: "base + vowels" };
  const { reply, rewards } = await rewarded(spec, ["aaaa", "a"]);
  const share = (text: string) => (text.match(/[aeiou]/g) ?? []).length / text.length;
  expect(rewards).toEqual([1 + 4 * share(fenced("aaaa")), 0 + 4 * share(fenced("a"))]);
  expect(reply.reward_range).toEqual([0, 5]);
  const { errors } = await refused({ signals: { vowels: { kind: "toy", scale: -1 } } });
  expect(errors[0]?.path).toBe("spec.signals.vowels.scale");
});

test("a stored spec of signals judges, and comes back as it was", async () => {
  const specs = fakeSpecStore();
  const { call, post } = setUp({ specs });
  const spec = { signals: { q: { ...T, when: "format == 0" }, format: F }, reward: "q + format" };
  const put = await call("/v1/specs/mine", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(spec),
  });
  const stored = (await put.json()) as { spec: object; spec_hash: string };
  expect(put.status).toBe(200);
  expect(stored.spec).toMatchObject({ signals: { q: { kind: "tournament", when: "format == 0", skip_value: 0 } } });
  const again = await call("/v1/specs/mine", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(stored.spec),
  });
  expect(((await again.json()) as typeof stored).spec_hash).toBe(stored.spec_hash);
  const reply = (await (await post("/v1/rewards", request("mine", ["aa", "b"]))).json()) as RewardsReply;
  expect(reply).toMatchObject({ spec_hash: stored.spec_hash, rewards: [[1, 0]] });
});

test("every reward lies in its range, or is null with a code, in any order of the rollouts", async () => {
  const term = fc.constantFrom("base", "format", "toy", "0.5", "rank(base)", "clamp(size, -2, 1)", "centre(toy)");
  const expression = fc.letrec<{ e: string }>((tie) => ({
    e: fc.oneof(
      { maxDepth: 3 },
      term,
      fc.tuple(tie("e"), fc.constantFrom("+", "-", "*"), tie("e")).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      fc.tuple(tie("e"), tie("e"), tie("e")).map(([c, a, b]) => `if(${c} > 0.3, ${a}, ${b})`),
      tie("e").map((a) => `sigmoid(${a})`),
    ),
  })).e;
  const signals = {
    base: T,
    format: F,
    toy: { kind: "toy", scale: 2, when: "format == 0", skip_value: -1 },
    size: { kind: "overlong", max_tokens: 30, cache_tokens: 20, clamp: false },
  };
  const faulty: Script = (shown) =>
    shown.includes("bad") ? { error: "deadline" } : preferring((code) => code.length)(shown, undefined as never);
  const codes = fc.array(fc.constantFrom("a", "bb", "ccc", "bad", null), { minLength: 1, maxLength: 5 });
  const property = fc.asyncProperty(expression, codes, async (reward, some) => {
    const items = some.map((code, i) => ({ text: code === null ? "none" : fenced(code), length_tokens: 10 * i }));
    const run = async (order: readonly number[]) => {
      const { post } = setUp({ script: faulty });
      const groups = [{ prompt: "p", rollouts: order.map((i) => items[i]) }];
      const reply = (await (await post("/v1/rewards", { spec: { signals, reward }, groups })).json()) as RewardsReply;
      return { reply, of: order.map((i, at) => [i, reply.groups[0]?.rollouts[at]] as const) };
    };
    const straight = await run(items.map((_, i) => i));
    const reversed = await run(items.map((_, i) => items.length - 1 - i));
    const [low, high] = straight.reply.reward_range as [number, number];
    for (const [i, one] of straight.of) {
      if (one === undefined) throw new Error("no rollout");
      const other = reversed.of.find(([j]) => j === i)?.[1];
      if (one.reward === null) expect(Object.keys(ITEM_ERRORS)).toContain(one.error);
      else {
        expect(one.reward).toBeGreaterThanOrEqual(low - 1e-9);
        expect(one.reward).toBeLessThanOrEqual(high + 1e-9);
        expect(other?.reward).toBeCloseTo(one.reward, 9);
      }
      expect(other?.error).toBe(one.error);
    }
  });
  await fc.assert(property, { numRuns: 150 });
});
