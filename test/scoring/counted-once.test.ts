// Guarantees that each answer counts once, and that no rollout is left without a reward or a code: lists that
// are asked again, a free point, and the agreement of a pair's votes.
import { describe, expect, it } from "vitest";
import type { Script } from "../harness/fakes.ts";
import { fakeVerifier } from "../harness/fakes.ts";
import { byValue, printed, program, scoreOne } from "./score-setup.ts";

const range = (n: number) => Array.from({ length: n }, (_, i) => program(i));

describe("blocks with a cover", () => {
  it.each([
    [5, {}, 3],
    [7, { size: 3 }, 2],
    [9, { size: 3 }, 4],
    [4, { size: 3 }, 5],
    [13, { size: 4 }, 2],
    [6, { size: 5 }, 3],
  ])("asks %i candidates as often as it counts: %j, cover %i", async (n, settings, cover) => {
    const verifier = fakeVerifier(byValue);
    const judge = { mode: "listwise", schedule: { name: "blocks", ...settings, cover } };
    const { verifier: use, rollouts } = await scoreOne(range(n), { verifier, spec: { judge } as never });
    const asked = verifier.jobs.flatMap(({ questions }) => questions);
    const samples = asked.map(({ shown, first_sample = 0 }) => `${shown.join()}:${first_sample}`);
    expect(new Set(samples).size).toBe(samples.length);
    expect(use.generations).toBe(samples.length);
    expect(use.saved).toBe(0);
    // Every list votes once: for as many as were asked.
    expect(rollouts.reduce((sum, { votes }) => sum + (votes ?? 0), 0)).toBe(samples.length);
  });
});

describe("a swiss round of an odd number", () => {
  it.each([3, 5, 9, 15])("judges everyone of %i: the last one meets the first, who plays twice", async (n) => {
    for (const reward of [
      "win_rate",
      "wins",
      "top1",
      "net_win_rate",
      "copeland",
      "rank",
      "soft",
      "strength",
    ] as const) {
      const spec = { judge: { schedule: { name: "swiss", rounds: 1 } }, reward } as never;
      const group = await scoreOne(range(n), { spec });
      expect(group.status).toBe("ok");
      expect(group.rollouts.filter(({ unasked }) => unasked === n - 1)).toEqual([]);
      expect(group.verifier.generations).toBe((n + 1) >> 1);
      // Who lost its only game has the least.
      const least = Math.min(...group.rollouts.map((one) => one.reward ?? Number.NaN));
      for (const { wins, losses, reward: own } of group.rollouts)
        if (!["rank", "strength", "copeland"].includes(reward) && wins === 0 && losses === 1) expect(own).toBe(least);
    }
  });

  it("pays nobody whom the verifier could not read, nor where nothing was asked", async () => {
    const spec = { judge: { schedule: { name: "swiss", rounds: 1 }, reask: 0 } } as never;
    const group = await scoreOne(range(5), { spec, verifier: fakeVerifier(() => "Hm.") });
    expect(group.rollouts.map(({ error }) => error)).toEqual(new Array(5).fill("unparsed"));
    expect(group.rollouts.every(({ reward }) => reward === null)).toBe(true);
    expect((await scoreOne(range(1), { spec })).rollouts[0]).toMatchObject({ reward: null, error: "group_too_small" });
  });

  it("pays nobody for free points alone, in several rounds of which the others failed", async () => {
    const spec = { judge: { schedule: { name: "swiss", rounds: 2 }, reask: 0 } } as never;
    const group = await scoreOne(range(5), { spec, verifier: fakeVerifier(() => "Hm.") });
    expect(group.rollouts.every(({ reward }) => reward === null)).toBe(true);
  });
});

describe("agreement", () => {
  /** The first shown, or the larger. */
  const script =
    (first: boolean): Script =>
    (shown, about) =>
      first ? "\\boxed{A}" : byValue(shown, about);
  const agreement = async (judge: object, said: Script) =>
    (await scoreOne(range(4), { verifier: fakeVerifier(said), spec: { judge, reward: "strength" } as never })).metrics
      .agreement;

  it("is over all votes of a pair, whatever the orders and the questions that they came in", async () => {
    expect(await agreement({ both_orders: true }, script(false))).toBe(1);
    expect(await agreement({ both_orders: true }, script(true))).toBe(0.5);
    expect(await agreement({}, script(true))).toBeNull();
    const turned: Script = (shown, { sample }) =>
      printed(shown[0] as string) > printed(shown[1] as string) === (sample === 0) ? "\\boxed{A}" : "\\boxed{B}";
    // One sample first, then more until the majority is sure: one vote against all that follow.
    const until = { samples: { min: 1, max: 4, stop: "confidence", confidence: 0.999 } };
    expect(await agreement(until, turned)).toBe(0.75);
  });

  it("counts a declared tie as a vote of its own", async () => {
    const tie: Script = (_, { sample }) => (sample === 0 ? "\\boxed{tie}" : "\\boxed{A}");
    expect(await agreement({ samples: 4 }, tie)).toBe(0.75);
  });
});
