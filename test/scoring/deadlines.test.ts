// Defines what is made of a tournament that its deadline cut: everyone judged by what was asked, where a part
// is enough; and the very result as ever where nothing was cut.
import { expect, test } from "vitest";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { type FakeVerifier, fakeVerifier, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { byValue, program, rolloutsOf, score, scoreOne } from "./score-setup.ts";

/** Answers this many questions by value, and then the deadline has come. */
function until(answers: number): FakeVerifier {
  let asked = 0;
  const script: Script = (shown, about) => (asked++ < answers ? byValue(shown, about) : { error: "deadline" });
  return fakeVerifier(script);
}

const valuesOf = (n: number) => Array.from({ length: n }, (_, i) => program(i));
const HALF = { min_decided: 0.5 } as const;
const ranked = (texts: readonly string[], answers: number, judge: SpecInput["judge"] = {}): Promise<GroupResult> =>
  scoreOne(texts, { spec: { judge: { ...HALF, ...judge } }, verifier: until(answers) });

test("32 candidates of whom two fifths of the pairs were answered all have a reward, and the best is among the first three", async () => {
  const { rollouts, verifier, win_counts, selected } = await ranked(valuesOf(32), 200);
  expect(rollouts.map(({ error }) => error)).toEqual(rollouts.map(() => null));
  for (const { wins, losses, ties, undecided, unasked = 0 } of rollouts) {
    expect(wins + losses + ties + undecided + unasked).toBe(31);
    expect(undecided).toBe(0);
    expect(wins + losses).toBeGreaterThanOrEqual(12);
    expect(wins + losses).toBeLessThanOrEqual(13);
  }
  expect(win_counts.reduce((sum: number, one) => sum + (one ?? 0), 0)).toBe(200);
  expect(verifier.why?.deadline).toBe(296);
  const best = rollouts[31]?.reward ?? 0;
  expect(rollouts.filter(({ reward }) => (reward ?? 0) > best).length).toBeLessThan(3);
  expect(selected).toBeGreaterThanOrEqual(29);
});

test("whoever is cut by the deadline hangs on what the candidates are, not on where they stand", async () => {
  const check = async (n: number, answers: number, seed: number, both_orders: boolean) => {
    const texts = valuesOf(n);
    const places = shuffled([...texts.keys()], createRandom(hashText("places", seed)));
    const own = await ranked(texts, answers, { both_orders });
    const moved = await ranked(
      places.map((i) => texts[i] as string),
      answers,
      { both_orders },
    );
    const told = ({ rollouts }: GroupResult, r: number) => {
      const { reward, error, wins, losses, undecided, unasked } = rollouts[r] as GroupResult["rollouts"][number];
      return { reward, error, wins, losses, undecided, unasked };
    };
    for (const [place, i] of places.entries()) expect(told(moved, place)).toEqual(told(own, i));
  };
  const answers = fc.integer({ min: 0, max: 60 });
  await fc.assert(fc.asyncProperty(fc.integer({ min: 2, max: 9 }), answers, fc.nat(), fc.boolean(), check), {
    numRuns: 60,
  });
});

test.each(["active", "knockout", "swiss", "pivot", "circular", "anchored"])(
  "%s returns what was answered before the deadline and asks nothing in vain after it",
  async (schedule) => {
    const verifier = until(46);
    const spec = { judge: { ...HALF, schedule } };
    const { rollouts, status } = await scoreOne(valuesOf(32), { spec, verifier });
    expect(rollouts.filter(({ reward }) => reward !== null)).toHaveLength(32);
    expect(rollouts.every(({ undecided }) => undecided === 0)).toBe(true);
    expect(status).toBe("ok");
    const asked = verifier.jobs.reduce((sum, { questions }) => sum + questions.length, 0);
    const ended = verifier.jobs.at(-1)?.questions.length ?? 0;
    expect(asked - ended).toBeLessThanOrEqual(46);
  },
);

test("who asks for all comparisons has no reward from a part of them", async () => {
  const { rollouts, verifier } = await scoreOne(valuesOf(8), { verifier: until(20) });
  expect(rollouts.every(({ reward, unasked }) => reward === null && unasked === undefined)).toBe(true);
  expect(new Set(rollouts.map(({ error }) => error))).toEqual(new Set(["partial"]));
  expect(verifier.why).toBeUndefined();
});

test("who met nobody before the deadline has none, and a judge that answers nobody rewards nobody", async () => {
  const few = await ranked(valuesOf(8), 2);
  expect(few.rollouts.filter(({ reward }) => reward !== null)).toHaveLength(4);
  expect(few.rollouts.filter(({ error }) => error === "deadline")).toHaveLength(4);
  const none = await ranked(valuesOf(8), 0);
  expect(none.rollouts.map(({ error }) => error)).toEqual(new Array(8).fill("deadline"));
  expect(none.selected).toBeNull();
});

test("what failed by anything else is undecided, deadline or not", async () => {
  let asked = 0;
  const script: Script = (shown, about) => {
    asked++;
    return asked % 2 === 0
      ? { error: "verifier_rejected" }
      : asked < 20
        ? byValue(shown, about)
        : { error: "deadline" };
  };
  const spec = { judge: { min_decided: 0.1 } };
  const { rollouts } = await scoreOne(valuesOf(8), { spec, verifier: fakeVerifier(script) });
  expect(rollouts.reduce((sum, { undecided }) => sum + undecided, 0)).toBe(28);
});

test("a warning says that the deadline cut a group, and none where it did not", async () => {
  const groups = [{ rollouts: rolloutsOf(valuesOf(6)) }];
  const spec = { judge: HALF };
  const cut = await score(groups, { spec, verifier: until(9) });
  expect(cut.reply.warnings).toContain("cut_by_deadline");
  const whole = await score(groups, { spec, verifier: until(15) });
  expect(whole.reply.warnings).not.toContain("cut_by_deadline");
});

test("a tournament that no deadline cuts is the same in whatever order it was asked", async () => {
  /** Sends the questions by their candidates' places, as they were listed before. */
  const byIndex = (verifier: FakeVerifier): FakeVerifier => ({
    ...verifier,
    session(call) {
      const { stats, judge } = verifier.session(call);
      const low = ({ shown }: { shown: readonly number[] }) => Math.min(...shown) * 100 + Math.max(...shown);
      return {
        stats,
        judge: (job, sink) => judge({ ...job, questions: [...job.questions].sort((a, b) => low(a) - low(b)) }, sink),
      };
    },
  });
  const check = async (n: number, seed: number, both_orders: boolean) => {
    const script: Script = (shown) => {
      const draw = createRandom(hashText("luck", seed, ...shown))();
      return draw < 0.1 ? "no verdict" : `\\boxed{${draw < 0.55 ? "A" : "B"}}`;
    };
    const spec = { judge: { both_orders } };
    const own = await scoreOne(valuesOf(n), { spec, verifier: fakeVerifier(script) });
    const other = await scoreOne(valuesOf(n), { spec, verifier: byIndex(fakeVerifier(script)) });
    expect(own).toEqual(other);
  };
  await fc.assert(fc.asyncProperty(fc.integer({ min: 2, max: 9 }), fc.nat(), fc.boolean(), check), { numRuns: 40 });
});

test("a backend is told to keep the order where a part of the answers is of use, and only there", async () => {
  const [part, whole] = [until(99), until(99)];
  await scoreOne(valuesOf(4), { spec: { judge: HALF }, verifier: part });
  await scoreOne(valuesOf(4), { verifier: whole });
  expect(part.calls.map(({ in_order }) => in_order)).toEqual([true]);
  expect(whole.calls.map(({ in_order }) => in_order)).toEqual([undefined]);
});
