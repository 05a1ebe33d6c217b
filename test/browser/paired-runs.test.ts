// Two runs compared over the prompts that both have: paired, each prompt once, with an interval.
import { expect, test } from "vitest";
import { type ComparedGroup, pairedRuns } from "../../scripts/build/pages/browser/paired-runs.ts";
import { createRandom } from "../../src/core/math/random.ts";

const SEED = 1;
const group = (prompt_hash: string, ...rewards: (number | null)[]): ComparedGroup => ({
  ...{ prompt_hash, rewards, tau_b: null },
});

test("only prompts of which both have a reward count, each once by its mean", () => {
  const one = [group("a", 1, 1, 1, 1), group("b", 0), group("b", 1), group("mine", 9), group("failed", 5)];
  const other = [group("b", 0.25), group("a", 0, 1), group("theirs", -9), group("failed", null, null)];
  expect(pairedRuns(one, other, SEED).rewards).toMatchObject({
    prompts: 2,
    run: 0.75,
    other: 0.375,
    difference: 0.375,
  });
});

test("without a common prompt there is no number, with one no interval", () => {
  expect(pairedRuns([group("a", 1)], [group("b", 1)], SEED).rewards).toEqual({
    ...{ prompts: 0, run: null, other: null },
    ...{ difference: null, ci95: null },
  });
  expect(pairedRuns([group("a", 1)], [group("a", 0)], SEED).rewards).toMatchObject({
    prompts: 1,
    difference: 1,
    ci95: null,
  });
});

/** Prompts that differ far more from each other than the runs do. */
function runs(gain: number, prompts = 200): [ComparedGroup[], ComparedGroup[]] {
  const random = createRandom(7);
  const made = Array.from({ length: prompts }, (_, i) => {
    const hard = 10 * random();
    const noise = () => 0.2 * (random() - 0.5);
    return [group(`${i}`, hard + gain + noise()), group(`${i}`, hard + noise())] as const;
  });
  return [made.map(([a]) => a), made.map(([, b]) => b)];
}

test("pairing tells a gain that is small beside how prompts differ, and none where there is none", () => {
  const [low, high] = pairedRuns(...runs(0.05), SEED).rewards.ci95 as [number, number];
  expect(low).toBeGreaterThan(0);
  expect(high).toBeLessThan(0.1);
  const [below, above] = pairedRuns(...runs(0), SEED).rewards.ci95 as [number, number];
  expect(below).toBeLessThan(0);
  expect(above).toBeGreaterThan(0);
});

test("the order of the groups does not matter; the other way round is the negative", () => {
  const [one, other] = runs(0.05, 30);
  const told = pairedRuns(one, other, SEED);
  expect(pairedRuns([...one].reverse(), [...other].reverse(), SEED)).toEqual(told);
  expect(pairedRuns(other, one, SEED).rewards.difference).toBe(-(told.rewards.difference as number));
});

test("tau-b is paired by prompt too, over prompts of which both have one, each once by its mean", () => {
  const labelled = (prompt_hash: string, ...taus: (number | null)[]): ComparedGroup[] =>
    taus.map((tau_b) => ({ prompt_hash, rewards: [1], tau_b }));
  const one = [...labelled("a", 1, 0.5), ...labelled("b", 0.25), ...labelled("c", null), ...labelled("mine", 1)];
  const other = [...labelled("a", 0.25), ...labelled("b", null, 0.5), ...labelled("c", -1), ...labelled("theirs", -1)];
  const { tau_b, rewards } = pairedRuns(one, other, SEED);
  expect(tau_b).toMatchObject({ prompts: 2, run: 0.5, other: 0.375, difference: 0.125 });
  // Half a step up on the one, a quarter down on the other: an interval over two prompts holds both.
  expect(tau_b.ci95).toEqual([-0.25, 0.5]);
  expect(rewards).toMatchObject({ prompts: 3, difference: 0 });
  expect(pairedRuns(labelled("a", null), labelled("a", 1), SEED).tau_b).toEqual({
    ...{ prompts: 0, run: null, other: null, difference: null, ci95: null },
  });
});
