// Owns what schedules guarantee of a reply, whatever the verifier answers or fails at: round
// robin's winner for fewer questions, what `auto` chose, and null only where nothing was decided.

import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/replies.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { type SpecInput, SpecSchema } from "../../src/core/reward/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SCHEDULES } from "../../src/core/tournament/schedules/table.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fakeVerifier, fixedClock, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { printed, scoreOne } from "./score-setup.ts";

const program = (value: number) => `\`\`\`python\nprint(${value})\n\`\`\``;

/**
 * Strength by what is printed, luck by the pair and the sample, and a share of questions that fail.
 */
const luckily = (seed: number, luck: number, failing: number): Script =>
  function answer(shown, { sample }) {
    const random = createRandom(hashText("luck", seed, ...[...shown].sort(), sample));
    if (random() < failing) return { error: "verifier_unavailable" };
    const value = (text: string) => Number(/print\((\d+)\)/.exec(text)?.[1]);
    const favoured = [...shown].sort((a, b) => value(b) - value(a) || (a < b ? -1 : 1));
    const best = (random() < luck ? favoured[1] : favoured[0]) as string;
    return `\\boxed{${"ABCDE"[shown.indexOf(best)]}}`;
  };

/** Rollouts by value; null is malformed, equal values are duplicates. */
async function scored(values: readonly (number | null)[], spec: SpecInput, script: Script): Promise<GroupResult> {
  const rollouts = values.map((value) => ({ text: value === null ? "none" : program(value) }));
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: "Print the largest.", rollouts }] });
  const about = { request, spec: SpecSchema.parse(spec), started_ms: 0, signal: new AbortController().signal };
  const { reply } = await scoreBatch({ verifier: fakeVerifier(script), clock: fixedClock() }, about);
  return reply.groups[0] as GroupResult;
}

const values = fc.array(fc.option(fc.nat(30), { freq: 12 }), { minLength: 1, maxLength: 16 });

describe("the schedule winner", () => {
  it("has round robin's selected rollout and top1 in 300 tournaments, with ties, duplicates and failures", async () => {
    const check = async (group: (number | null)[], seed: number, luck: number, failing: number) => {
      const script = luckily(seed, luck, failing);
      const few = await scored(group, { judge: { schedule: "winner" }, reward: "top1" }, script);
      const all = await scored(group, { reward: "top1" }, script);
      expect(few.selected).toBe(all.selected);
      expect(few.selected_tied).toEqual(all.selected_tied);
      for (const [r, { reward }] of all.rollouts.entries()) {
        if (reward !== null) expect(few.rollouts[r]?.reward).toBe(reward);
      }
      expect(few.verifier.generations).toBeLessThanOrEqual(all.verifier.generations);
      expect(few.verifier.saved).toBe(all.verifier.generations - few.verifier.generations);
      expect(few.verifier.why?.early_stop).toBe(few.verifier.saved);
    };
    const luck = fc.constantFrom(0, 0.1, 0.3, 0.5);
    await fc.assert(fc.asyncProperty(values, fc.nat(), luck, fc.constantFrom(0, 0, 0.05, 0.3), check), {
      numRuns: 300,
    });
  });

  it("asks some two pairs a candidate where one beats all", async () => {
    const sixteen = Array.from({ length: 16 }, (_, i) => i);
    const sure = await scored(sixteen, { judge: { schedule: "winner" }, reward: "top1" }, luckily(1, 0, 0));
    expect(sure.verifier.generations).toBeLessThanOrEqual(2.5 * 16);
    expect(sure.selected).toBe(15);
    expect(sure.rollouts.map(({ reward }) => reward)).toEqual(sixteen.map((i) => Number(i === 15)));
  });
});

describe("the schedule auto", () => {
  const chosen = async (n: number, judge: object, reward = "auto") => {
    const group = Array.from({ length: n }, (_, i) => i);
    const { verifier, metrics, rollouts } = await scored(group, { judge, reward } as SpecInput, luckily(2, 0.1, 0));
    return { ...verifier, ...metrics, rollouts };
  };

  it("says which schedule, orders, samples and score it chose for a budget, and keeps to it", async () => {
    const auto = (generations: number) => chosen(8, { schedule: "auto", budget: { generations } });
    const whole = { schedule: "round_robin", score: "soft" };
    expect((await auto(7)).chosen).toEqual({ schedule: "anchored", both_orders: false, samples: 1, score: "strength" });
    expect((await auto(14)).chosen).toMatchObject({ schedule: { name: "active", sure: 1 }, score: "strength" });
    expect((await auto(42)).chosen).toMatchObject({ schedule: { name: "active", again: true }, score: "strength" });
    expect((await auto(28)).chosen).toEqual({ ...whole, both_orders: false, samples: 1 });
    expect((await auto(56)).chosen).toEqual({ ...whole, both_orders: true, samples: 1 });
    expect((await auto(230)).chosen).toEqual({ ...whole, both_orders: true, samples: 4 });
    for (const paid of [7, 14, 27, 28, 55, 56, 230]) {
      expect((await auto(paid)).generations).toBeLessThanOrEqual(paid);
      expect((await auto(paid)).generations).toBeGreaterThan(paid / 2);
    }
  });

  it("asks until the order_confidence that is wanted is reached, and no more", async () => {
    const value = (text = "") => Number(/print\((\d+)\)/.exec(text)?.[1]);
    const graded = { form: "scores", strength: "graded", schedule: { name: "auto", order_confidence: 0.6 } };
    // One stands out: the others' places among each other need not be known.
    const group = [40, 0, 1, 2, 3, 4];
    const byValue: Script = ([a, b]) => `\\boxed{[${value(a)}, ${value(b)}]}`;
    const { verifier, metrics } = await scored(group, { judge: graded, reward: "auto" } as SpecInput, byValue);
    expect(verifier.chosen).toMatchObject({ schedule: { name: "active", order_confidence: 0.6 }, score: "strength" });
    expect(verifier.chosen?.end).toBe("order_confidence");
    expect(metrics.order_confidence).toBeGreaterThanOrEqual(0.6);
    // Each vote is a game, a graded one a fractional one: fewer than all that may be asked do.
    expect(verifier.generations).toBeLessThan(2 * 8 * 15);
  });

  it("says what ended a wanted order_confidence: that it was reached, the budget, or every pair's samples", async () => {
    const until = async (order_confidence: number, n: number, luck: number, more: object = {}) => {
      const judge = { schedule: { name: "auto", order_confidence }, ...more };
      const group = Array.from({ length: n }, (_, i) => i);
      const { verifier, metrics } = await scored(group, { judge, reward: "auto" } as SpecInput, luckily(3, luck, 0));
      return { end: verifier.chosen?.end, confidence: metrics.order_confidence ?? 0, ...verifier };
    };
    const reached = await until(0.9, 5, 0);
    expect(reached.end).toBe("order_confidence");
    expect(reached.confidence).toBeGreaterThanOrEqual(0.9);
    expect(reached.generations).toBeGreaterThan(10);
    const poor = await until(0.9, 5, 0, { budget: { generations: 12 } });
    expect(poor).toMatchObject({ end: "budget", generations: 12 });
    expect(poor.confidence).toBeLessThan(0.9);
    const equals = await until(0.9999, 3, 0.5, { samples: { min: 1, max: 2 } });
    expect(equals.end).toBe("samples");
    expect(equals.generations).toBeLessThanOrEqual(12);
  });

  it("tells of a score alone what was chosen, and nothing of a spec that leaves it nothing", async () => {
    expect((await chosen(4, {})).chosen).toMatchObject({ schedule: "round_robin", score: "soft" });
    expect((await chosen(6, { schedule: "anchored" })).chosen).toMatchObject({
      schedule: "anchored",
      score: "strength",
    });
    expect(await chosen(6, { schedule: "anchored" }, "strength")).not.toHaveProperty("chosen");
  });
});

describe.each(Object.entries(SCHEDULES).map(([name, { mode }]) => ({ name, mode })))("$name", ({ name, mode }) => {
  it("gives null only where nothing was decided, and a code with every null, whatever fails", async () => {
    const size = name === "single_list" ? 5 : 16;
    const check = async (group: (number | null)[], seed: number, failing: number) => {
      const judge = { schedule: name, mode, min_decided: 0.001 };
      const all = await scored(group, { judge, reward: "strength" } as SpecInput, luckily(seed, 0.2, failing));
      for (const { reward, error, wins, losses, ties, forfeits, format_ok } of all.rollouts) {
        expect(reward === null).toBe(error !== null);
        if (reward === null || !format_ok) continue;
        const different = new Set(group.filter((value) => value !== null)).size;
        expect(wins + losses + ties - forfeits).toBeGreaterThan(0);
        expect(Number.isFinite(reward)).toBe(true);
        if (failing === 1) expect(different).toBe(1);
      }
      if (failing === 0 && group.length > 1) expect(all.rollouts.every(({ reward }) => reward !== null)).toBe(true);
    };
    const group = fc.array(fc.option(fc.nat(30), { freq: 12 }), { minLength: 1, maxLength: size });
    await fc.assert(fc.asyncProperty(group, fc.nat(), fc.constantFrom(0, 0.2, 0.7, 1), check), { numRuns: 60 });
  });
});

describe("the other order of close pairs", () => {
  const [LOW, HIGH] = [1, 3];
  /** How often the pair of the worst and the best is shown, who are no neighbours in the order. */
  async function timesShown(votesOfBest: number) {
    const verifier = fakeVerifier((shown, { sample }) => {
      const values = shown.map(printed);
      const apart = values.includes(LOW) && values.includes(HIGH);
      const winner = apart && sample % 20 >= votesOfBest ? LOW : Math.max(...values);
      return `\\boxed{${"AB"[values.indexOf(winner)]}}`;
    });
    await scoreOne([LOW, 2, HIGH].map(program), {
      spec: { judge: { samples: 20, both_orders: "when_close" } },
      verifier,
    });
    const shown = verifier.jobs.flatMap(({ candidates, questions }) =>
      questions.map((question) => question.shown.map((i) => printed(candidates[i] as string)).sort()),
    );
    return shown.filter((values) => values.join() === `${LOW},${HIGH}`).length;
  }

  it.each([
    [11, 2],
    [13, 2],
    [14, 1],
    [20, 1],
  ])("where the better of two has %i of 20 votes it is shown %i times", async (votes, times) => {
    expect(await timesShown(votes)).toBe(times);
  });
});
