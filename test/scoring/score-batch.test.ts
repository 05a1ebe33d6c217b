// Invariant 2: Output has the input's length and order.
import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { fakeVerifier, type Script } from "../harness/fakes.ts";

import { byValue, printed, program, rolloutsOf, score, scoreOne } from "./score-setup.ts";

describe("scoreBatch, pairwise", () => {
  it("turns wins into rewards, counts and metrics as the contract's example shows", async () => {
    const rollouts = [3, 2, 1].map((v) => ({ text: program(v), pass_rate: v === 3 ? 1 : 0.4 }));
    const { reply } = await score([{ rollouts }]);
    expect(reply.rewards).toEqual([[1, 0.5, 0]]);
    const [group] = reply.groups as [GroupResult];
    expect(group).toMatchObject({ status: "ok", win_counts: [2, 1, 0], selected: 0, selected_tied: [0] });
    expect(group.metrics.tau_b).toBeCloseTo(0.816496580927726, 12);
    expect(group.metrics).toMatchObject({ parse_rate: 1, list_acc: true, tau_b_undefined: null, reward_mean: 0.5 });
    expect(group.metrics.reward_std).toBeCloseTo(0.408248290463863, 12);
    expect(group.verifier).toMatchObject({
      comparisons: 3,
      generations: 3,
      parsed: 3,
      unparsed: 0,
      failed: 0,
      saved: 0,
    });
  });

  it("does not ask about a malformed rollout: base 0, the penalty, a loss to each well-formed one", async () => {
    const verifier = fakeVerifier(byValue);
    const group = await scoreOne(["no code", program(2), program(1)], { verifier, spec: { format: { penalty: 0.5 } } });
    expect(group.rollouts[0]).toMatchObject({
      reward: -0.5,
      components: { base: 0, format: -0.5, overlong: 0 },
      losses: 2,
      forfeits: 2,
      format_ok: false,
    });
    expect(group.rollouts[1]).toMatchObject({ reward: 1, wins: 2 });
    expect(verifier.jobs[0]?.candidates).toHaveLength(2);
  });

  it("merges duplicates: no comparison between them, a tie, and each comparison counts for all", async () => {
    const texts = [program(2), program(1), `${program(2)}   `.replace("print(2)", "print(2)  ")];
    const group = await scoreOne(texts);
    expect(group.verifier.comparisons).toBe(1);
    expect(group.rollouts.map(({ duplicate_of }) => duplicate_of)).toEqual([null, null, 0]);
    expect(group.rollouts[0]).toMatchObject({ wins: 1, ties: 1, losses: 0, reward: 0.75 });
    expect(group.rollouts[2]).toMatchObject({ wins: 1, ties: 1, losses: 0, reward: 0.75 });
    expect(group.rollouts[1]).toMatchObject({ losses: 2, reward: 0 });
  });

  it("shares comparisons between groups of one prompt, and says what it saved", async () => {
    const verifier = fakeVerifier(byValue);
    const rollouts = rolloutsOf([program(3), program(2), program(1)]);
    const { reply } = await score(
      [{ rollouts }, { rollouts: [...rollouts].reverse() }, { rollouts, prompt: "Other." }],
      { verifier },
    );
    expect(reply.rewards).toEqual([
      [1, 0.5, 0],
      [0, 0.5, 1],
      [1, 0.5, 0],
    ]);
    expect(reply.groups.map(({ verifier }) => [verifier.generations, verifier.saved])).toEqual([
      [3, 0],
      [0, 3],
      [3, 0],
    ]);
    expect(verifier.jobs.flatMap(({ questions }) => questions)).toHaveLength(6);
  });

  it("gives null with a code, never a number, when the verifier fails", async () => {
    const group = await scoreOne([program(3), program(2)], {
      verifier: fakeVerifier(() => ({ error: "verifier_unavailable" })),
    });
    expect(group.status).toBe("failed");
    expect(group.win_counts).toEqual([null, null]);
    expect(group.selected).toBeNull();
    for (const rollout of group.rollouts) {
      expect(rollout).toMatchObject({ reward: null, error: "verifier_unavailable", rank: null, undecided: 1 });
      expect(rollout.components.base).toBeNull();
    }
    expect(group.metrics).toMatchObject({ parse_rate: null, reward_mean: null, reward_std: null });
  });

  it("invents no reward out of forfeits and duplicates when the verifier fails", async () => {
    const verifier = fakeVerifier(() => ({ error: "verifier_unavailable" }));
    const group = await scoreOne([program(3), program(2), "no code", program(2)], { verifier });
    expect(group.rollouts.map(({ reward, error }) => [reward, error])).toEqual([
      [null, "verifier_unavailable"],
      [null, "verifier_unavailable"],
      [-1, null],
      [null, "verifier_unavailable"],
    ]);
    expect(group.win_counts).toEqual([null, null, 0, null]);
    expect(group).toMatchObject({ status: "partial", selected: null });
  });

  it("gives no win rate over what happened to be decided, unless the spec asks for less than all", async () => {
    const script: Script = (shown, about) =>
      shown.some((text) => printed(text) === 1) ? { error: "deadline" } : byValue(shown, about);
    const texts = [program(3), program(2), program(1)];
    const strict = await scoreOne(texts, { verifier: fakeVerifier(script) });
    expect(strict.rollouts.map(({ reward, error }) => [reward, error])).toEqual([
      [null, "partial"],
      [null, "partial"],
      [null, "deadline"],
    ]);
    expect(strict).toMatchObject({ status: "failed", win_counts: [null, null, null], selected: null });
    const spec: SpecInput = { judge: { min_decided: 0.5 } };
    const group = await scoreOne(texts, { verifier: fakeVerifier(script), spec });
    expect(group.status).toBe("partial");
    expect(group.rollouts.map(({ reward, error }) => [reward, error])).toEqual([
      [1, null],
      [0, null],
      [null, "deadline"],
    ]);
    expect(group.metrics.tau_b_undefined).toBe("no_labels");
  });

  it("is null with group_too_small for a rollout that is alone", async () => {
    const group = await scoreOne([program(1)]);
    expect(group.rollouts[0]).toMatchObject({ reward: null, error: "group_too_small" });
    expect(group.status).toBe("failed");
  });

  it("never reads an unclosed thought or an answer cut by length as a verdict", async () => {
    const cut = await scoreOne([program(2), program(1)], {
      verifier: fakeVerifier(() => ({ answer: "\\boxed{A}", finish_reason: "length" })),
    });
    for (const rollout of cut.rollouts) {
      expect(rollout).toMatchObject({ reward: null, error: "unparsed", ties: 0, undecided: 1 });
    }
    expect(cut.verifier).toMatchObject({ generations: 2, unparsed: 2, cut: 2 });
    const looped = await scoreOne([program(2), program(1)], {
      verifier: fakeVerifier(() => ({ answer: "\\boxed{A}", finish_reason: "repetition" })),
    });
    expect(looped.metrics.parse_rate).toBe(0);
    expect(looped.verifier).not.toHaveProperty("cut");
    const unclosed = await scoreOne([program(2), program(1)], {
      verifier: fakeVerifier(() => ({ answer: "\\boxed{A}", thinking: "unclosed" })),
    });
    expect(unclosed.metrics.parse_rate).toBe(0);
    expect(unclosed.selected).toBeNull();
  });

  it("adds the overlong punishment from the length given, and refuses to guess one", async () => {
    const spec: SpecInput = { overlong: { max_tokens: 100, cache_tokens: 20 } };
    const lengths = [90, 80];
    const { reply } = await score(
      [{ rollouts: lengths.map((length_tokens, i) => ({ text: program(2 - i), length_tokens })) }],
      { spec },
    );
    expect(reply.rewards).toEqual([[0.5, 0]]);
    await expect(scoreOne([program(1), program(2)], { spec })).rejects.toMatchObject({
      code: "length_tokens_required",
      errors: [{ path: "groups[0].rollouts[0].length_tokens" }, { path: "groups[0].rollouts[1].length_tokens" }],
    });
  });

  it("measures position bias in both orders: an always-A verifier flips every pair", async () => {
    const biased = fakeVerifier(() => "\\boxed{A}");
    const group = await scoreOne([program(3), program(2), program(1)], {
      verifier: biased,
      spec: { judge: { both_orders: true } },
    });
    expect(group.metrics.position_flip_rate).toBe(1);
    expect(group.rollouts.map(({ reward }) => reward)).toEqual([0.5, 0.5, 0.5]);
    const fair = await scoreOne([program(3), program(2)], { spec: { judge: { both_orders: true } } });
    expect(fair.metrics.position_flip_rate).toBe(0);
  });

  it("reads the scores form: the higher score wins, equal scores tie", async () => {
    const scored: Script = (shown) => `\\boxed{[${shown.map((text) => Math.min(10, printed(text))).join(",")}]}`;
    const group = await scoreOne([program(12), program(10), program(4)], {
      verifier: fakeVerifier(scored),
      spec: { judge: { form: "scores" } },
    });
    expect(group.rollouts.map(({ wins, ties }) => [wins, ties])).toEqual([
      [1, 1],
      [1, 1],
      [0, 0],
    ]);
    expect(group.metrics.parse_rate).toBe(1);
  });
});

describe("scoreBatch, listwise", () => {
  const spec: SpecInput = { judge: { mode: "listwise", samples: 5 } };

  it("counts votes over seeded permutations", async () => {
    const group = await scoreOne([program(1), program(3), program(2)], { spec });
    expect(group.rollouts.map(({ votes }) => votes)).toEqual([0, 5, 0]);
    expect(group.win_counts).toEqual([0, 2, 0]);
    expect(group).toMatchObject({ selected: 1, status: "ok" });
    expect(group.rollouts.map(({ reward }) => reward)).toEqual([0.25, 1, 0.25]);
  });

  it("refuses more than five different candidates before any call, naming the group and the limit", async () => {
    const verifier = fakeVerifier(byValue);
    const six = rolloutsOf([1, 2, 3, 4, 5, 6].map(program));
    await expect(score([{ rollouts: six.slice(0, 2) }, { rollouts: six }], { spec, verifier })).rejects.toMatchObject({
      code: "list_too_long",
      errors: [{ path: "groups[1].rollouts", message: expect.stringContaining("list_candidates_max = 5") }],
    });
    expect(verifier.jobs).toEqual([]);
  });

  it("accepts more than five rollouts when they are at most five candidates", async () => {
    const group = await scoreOne([1, 2, 3, 4, 5, 5, 5].map(program), { spec });
    expect(group.selected_tied).toEqual([4, 5, 6]);
    expect(group.selected).toBe(4);
  });
});
