// The refusals of a spec of named signals over HTTP, by field and by column.
import { describe, expect, test } from "vitest";
import { fakeVerifier } from "../../harness/fakes.ts";
import { longest, problemOf, setUp } from "./harness.ts";
import { F, refused, request, rewarded, T } from "./signals-setup.ts";

describe("what a spec of signals refuses", () => {
  test.each([
    [{ judge: {} }, "spec.judge", "set `judge` in a signal of kind tournament"],
    [{ format: {} }, "spec.format", "use a signal of kind format"],
    [{ overlong: null }, "spec.overlong", "use a signal of kind overlong"],
    [{ extra: 1 }, "spec.extra", "unknown field"],
  ])("%j", async (more, path, message) => {
    expect((await refused({ signals: { base: T }, ...more })).errors).toEqual([{ path, message }]);
  });

  test("an expression at its column", async () => {
    const { errors } = await refused({ signals: { base: T }, reward: "base + quality" });
    expect(errors).toEqual([{ path: "spec.reward", message: expect.stringMatching(/^column 8: .*quality/) }]);
  });

  test("names that an expression has for something else, kinds that nobody knows, and none or too many", async () => {
    expect((await refused({ signals: { length: T } })).errors[0]?.path).toBe("spec.signals.length");
    expect((await refused({ signals: { a: { kind: "magic" } } })).errors[0]?.path).toBe("spec.signals.a.kind");
    expect((await refused({ signals: {} })).errors[0]).toEqual({
      path: "spec.signals",
      message: "must contain at least one signal",
    });
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`s${i}`, F]));
    expect((await refused({ signals: many })).errors[0]?.message).toContain("signals_max is 16");
  });

  test("a reward without a finite range, naming what to squash", async () => {
    const unclamped = { kind: "overlong", max_tokens: 20, cache_tokens: 10, clamp: false };
    const { code, errors } = await refused({ signals: { base: T, size: unclamped } });
    expect(code).toBe("unbounded_reward");
    expect(errors[0]?.path).toBe("spec.reward");
    expect(errors[0]?.message).toMatch(/because size has none/);
    expect((await refused({ signals: { base: T }, reward: "base - 0.001 * length" })).errors[0]?.message).toMatch(
      /because length has none/,
    );
    const squashed = { signals: { base: T, size: unclamped }, reward: "base + clamp(size, -3, 0)" };
    expect((await rewarded(squashed, ["a", "bb"])).reply.reward_range).toEqual([-3, 1]);
  });

  test("rollouts without the facts it needs, before anything is asked", async () => {
    const bare = { groups: [{ prompt: "p", rollouts: [{ text: "a" }, { text: "b" }] }] };
    const size = { kind: "overlong", max_tokens: 20, cache_tokens: 10 };
    const missing = await refused({ signals: { base: T, size } }, bare);
    expect(missing.code).toBe("length_tokens_required");
    expect(missing.errors[0]).toEqual({
      path: "groups[0].rollouts[0].length_tokens",
      message: "required because the spec has the signal size",
    });
    const annealed = { signals: { base: T }, reward: "anneal(1, 0, 0, 10) * base" };
    expect((await refused(annealed)).errors[0]?.path).toBe("step");
    expect((await rewarded(annealed, ["a", "bb"], { step: 5 })).rewards).toEqual([0, 0.5]);
  });

  test("more generations than there may be, over all its tournaments, before the first is asked", async () => {
    const verifier = fakeVerifier(longest, { generations_max: 5 });
    const { post } = setUp({ verifier });
    const codes = ["a", "bb", "ccc"];
    expect((await post("/v1/rewards", request({ signals: { a: T } }, codes))).status).toBe(200);
    const asked = verifier.jobs.length;
    const two = { a: T, b: { ...T, when: "a > 2" } };
    const problem = await problemOf(await post("/v1/rewards", request({ signals: two }, codes)));
    expect(problem.code).toBe("too_many_generations");
    expect(verifier.jobs.length).toBe(asked);
  });
});
