// Properties of every pairwise tournament, from request to reply: nothing depends on the order of rollouts or
// answers, a budget is a bound, the counts add up, and a rollout that is left out changes only what it must.
// That an early judgement equals the whole one: test/objects/gathering/early.test.ts.
import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { SCHEDULES } from "../../src/core/tournament/schedules/table.ts";
import { fakeVerifier, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { late, printed, program, rolloutsOf, score } from "./score-setup.ts";

interface Behaviour {
  seed: number;
  /** Shares of answers that cannot be read, and that fail. */
  mute: number;
  failing: number;
}

/**
 * Answers by the pair and the sample alone, whatever the order in which they are shown: a letter, or a score
 * for each.
 */
const behaving =
  ({ seed, mute, failing }: Behaviour, isScoring: boolean): Script =>
  (shown, { sample }) => {
    const sorted = shown.map(printed).sort((a, b) => a - b);
    const random = createRandom(hashText("luck", seed, ...sorted, sample));
    if (random() < failing) return { error: "verifier_unavailable" };
    if (random() < mute) return "I cannot say.";
    if (isScoring) {
      const scores = sorted.map(() => Math.floor(11 * random()));
      return `\\boxed{[${shown.map((text) => scores[sorted.indexOf(printed(text))]).join(", ")}]}`;
    }
    const best = sorted[random() < 0.6 ? 0 : 1];
    return `\\boxed{${"AB"[shown.map(printed).indexOf(best as number)]}}`;
  };

const behaviours: fc.Arbitrary<Behaviour> = fc.record({
  seed: fc.nat(),
  mute: fc.constantFrom(0, 0.3),
  failing: fc.constantFrom(0, 0.3, 1),
});
const groups = fc.uniqueArray(fc.nat(99), { minLength: 2, maxLength: 9 });

const PAIRWISE = Object.entries(SCHEDULES).flatMap(([name, { mode }]) => (mode === "pairwise" ? [name] : []));
/** Judges whose follow-up questions depend on answers, too. */
const JUDGES: readonly (readonly [string, object])[] = PAIRWISE.flatMap((schedule) => [
  [schedule, { schedule, reask: 0 }] as const,
  [`${schedule}, graded`, { schedule, reask: 0, form: "scores", strength: "graded" }] as const,
  [`${schedule}, until sure`, { schedule, samples: { min: 1, max: 4, confidence: 0.9 } }] as const,
  [`${schedule}, both orders when close`, { schedule, samples: 2, both_orders: "when_close" }] as const,
]);

/** The groups' results, and the pairs that were asked: each by what its programs print. */
async function played(all: readonly (readonly number[])[], judge: object, behaviour: Behaviour, turns = 0) {
  const verifier = fakeVerifier(behaving(behaviour, "form" in judge));
  const { reply } = await score(
    all.map((values, g) => ({ prompt: `p${g}`, rollouts: rolloutsOf(values.map(program)) })),
    { spec: { judge } as SpecInput, verifier: turns === 0 ? verifier : late(verifier, turns, 3) },
  );
  const asked = verifier.jobs.flatMap(({ question, candidates, questions }) =>
    questions.map(({ shown, samples, first_sample = 0 }) => {
      const values = shown.map((i) => printed(candidates[i] as string));
      return `${question} ${values.join(">")} ${first_sample}+${samples}`;
    }),
  );
  return { groups: reply.groups, asked };
}

const one = async (values: readonly number[], judge: object, behaviour: Behaviour, turns = 0) => {
  const { groups: found, asked } = await played([values], judge, behaviour, turns);
  return { group: found[0] as GroupResult, asked };
};

const RUNS = { numRuns: 12 };

describe.each(JUDGES)("%s", (_, judge) => {
  it("asks and answers the same whatever the order of rollouts and answers", async () => {
    const check = async (values: number[], behaviour: Behaviour, turn: number) => {
      const order = shuffled([...values.keys()], createRandom(turn));
      const there = await one(values, judge, behaviour);
      const moved = await one(
        order.map((i) => values[i] as number),
        judge,
        behaviour,
        1 + (turn % 1_000),
      );
      expect(moved.group.rollouts).toEqual(order.map((i) => there.group.rollouts[i]));
      expect([...moved.asked].sort()).toEqual([...there.asked].sort());
      expect(moved.group.verifier.completion_tokens).toBe(there.group.verifier.completion_tokens);
    };
    await fc.assert(fc.asyncProperty(groups, behaviours, fc.nat(), check), RUNS);
  });

  it("counts each opponent of each rollout once, and asks no sample twice", async () => {
    const check = async (values: number[], behaviour: Behaviour) => {
      const { group, asked } = await one(values, judge, behaviour);
      const sum = (count: (rollout: (typeof group.rollouts)[0]) => number) =>
        group.rollouts.reduce((total, rollout) => total + count(rollout), 0);
      for (const { wins, losses, ties, undecided, unasked = 0, reward, error } of group.rollouts) {
        expect(wins + losses + ties + undecided + unasked).toBe(values.length - 1);
        expect(unasked).toBeLessThan(values.length - 1);
        expect(reward === null).toBe(error !== null);
      }
      expect(sum(({ wins }) => wins)).toBe(sum(({ losses }) => losses));
      expect(sum(({ ties }) => ties) % 2).toBe(0);
      expect(new Set(asked).size).toBe(asked.length);
      if (behaviour.failing === 1) expect(group.rollouts.map(({ reward }) => reward)).toEqual(values.map(() => null));
    };
    await fc.assert(fc.asyncProperty(groups, behaviours, check), RUNS);
  });

  it("never exceeds its budget, and still compares everyone where nothing is asked again", async () => {
    const check = async (values: number[], behaviour: Behaviour, share: number) => {
      const n = values.length;
      const generations = Math.max(2 * n, Math.floor(share * n * n));
      const { group } = await one(values, { ...judge, budget: { generations } }, behaviour);
      expect(group.verifier.generations).toBeLessThanOrEqual(generations);
      const ratio = await one(values, { ...judge, budget: { ratio: share } }, { ...behaviour, mute: 0, failing: 0 });
      if (!("reask" in judge)) return;
      expect(ratio.group.verifier.generations).toBeLessThanOrEqual(Math.max((share * n * (n - 1)) / 2, n - 1));
      for (const { unasked = 0 } of ratio.group.rollouts) expect(unasked).toBeLessThan(n - 1);
    };
    await fc.assert(fc.asyncProperty(groups, behaviours, fc.constantFrom(0.1, 0.3, 0.6), check), RUNS);
  });

  it("leaves other groups as they are when a rollout is left out", async () => {
    const check = async (values: number[], others: number[], behaviour: Behaviour) => {
      const whole = await played([others, values], judge, behaviour);
      const less = await played([others, values.slice(1)], judge, behaviour);
      expect(less.groups[0]).toEqual(whole.groups[0]);
    };
    await fc.assert(fc.asyncProperty(groups, groups, behaviours, check), RUNS);
  });
});

it("a rollout that is left out of a round robin takes its own comparisons with it, and no other", async () => {
  const check = async (values: number[], behaviour: Behaviour, which: number) => {
    const judge = { schedule: "round_robin", reask: 0 };
    const at = which % values.length;
    const gone = values[at] as number;
    const whole = await one(values, judge, behaviour);
    const less = await one(values.toSpliced(at, 1), judge, behaviour);
    expect(less.asked.length).toBe(whole.asked.length - (values.length - 1));
    const pairsOf = (asked: readonly string[]) =>
      asked.map((text) =>
        (text.split(" ").at(-2) as string)
          .split(">")
          .map(Number)
          .sort((a, b) => a - b)
          .join(),
      );
    const kept = pairsOf(whole.asked).filter((pair) => !pair.split(",").map(Number).includes(gone));
    expect(pairsOf(less.asked).sort()).toEqual(kept.sort());
    const counts = ({ wins, losses, ties, undecided }: GroupResult["rollouts"][0]) => [wins, losses, ties, undecided];
    const before = whole.group.rollouts.toSpliced(at, 1);
    less.group.rollouts.forEach((rollout, i) => {
      const [now, then] = [counts(rollout), counts(before[i] as typeof rollout)];
      const change = then.map((count, k) => count - (now[k] as number)).sort();
      expect(change).toEqual([0, 0, 0, 1]);
    });
  };
  await fc.assert(fc.asyncProperty(groups, behaviours, fc.nat(), check), { numRuns: 60 });
});
