// Defines what schedules guarantee of a reply, whatever the verifier answers or fails at: the score that
// `auto` chose, and null only where nothing was decided.

import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
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

describe("the score auto", () => {
  const chosen = async (judge: object, reward: string) => {
    const { verifier } = await scored([0, 1, 2, 3, 4, 5], { judge, reward } as SpecInput, luckily(2, 0.1, 0));
    return verifier.chosen;
  };

  it.each([
    ["auto", {}, { score: "soft" }],
    ["auto", { schedule: "anchored" }, { score: "strength" }],
    ["strength", { schedule: "anchored" }, undefined],
  ])("tells of the reward %s under %j: chosen is %j", async (reward, judge, expected) => {
    expect(await chosen(judge, reward)).toEqual(expected);
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
  /** How often the pair of the worst and the best is shown, who are not neighbours in the order. */
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
