// Owns the guarantee of ends with a stated confidence: where verdicts follow the model and its
// prior, the best that is reported when a tournament ends sure is the best as often as was asked.
import { describe, expect, it } from "vitest";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { sigmoid } from "../../../src/core/math/bradley-terry.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { outcomesIn, rehearsed } from "../../../src/core/tournament/rehearsal.ts";
import { surenessFit, surenessOf } from "../../../src/core/tournament/schedules/sureness.ts";
import { TournamentRun } from "../../../src/core/tournament/tournament-run.ts";

/** The prior of strengths has the precision 0.5. */
const SPREAD = Math.SQRT2;

interface Played {
  /** Fewer pairs than all were asked. */
  early: boolean;
  /** The order_confidence that a reply would tell. */
  confidence: number;
  right: boolean;
  generations: number;
  /** Generations of one pair at most. */
  most: number;
}

/** One tournament by votes, of strengths drawn by the prior times `spread`. */
function played(n: number, order_confidence: number, seed: number, spread = SPREAD): Played {
  const normal = (i: number) => {
    const random = createRandom(hashText("strength", seed, i));
    return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  };
  const theta = Array.from({ length: n }, (_, i) => spread * normal(i));
  const keys = theta.map((_, i) => hashText("content", seed, i));
  const judge = { ...DEFAULT_SPEC.judge, schedule: { name: "auto", order_confidence } };
  const contest = new TournamentRun({ keys, judge, seed });
  const { waves, decision } = rehearsed(contest, n, ({ shown: [a = 0, b = 0], samples, first_sample = 0 }) => {
    const chance = sigmoid((theta[a] as number) - (theta[b] as number));
    return Array.from({ length: samples }, (_, k) => {
      const first = createRandom(hashText("verdict", seed, a, b, first_sample + k))() < chance;
      return { state: "parsed" as const, winner: first ? a : b };
    });
  });
  const pairs = theta.flatMap((_, i) => theta.slice(i + 1).map((__, k) => [i, i + 1 + k]));
  const fit = surenessFit(n, pairs, outcomesIn(decision));
  const best = fit.theta.indexOf(Math.max(...fit.theta));
  const sum = new Map<string, number>();
  for (const { shown, samples } of waves.flat()) {
    const pair = [...shown].sort((a, b) => a - b).join();
    sum.set(pair, (sum.get(pair) ?? 0) + samples);
  }
  return {
    early: sum.size < pairs.length,
    confidence: surenessOf(n, pairs, outcomesIn(decision)).best,
    right: theta[best] === Math.max(...theta),
    generations: [...sum.values()].reduce((total, own) => total + own, 0),
    most: Math.max(...sum.values()),
  };
}

const shareOf = (all: readonly Played[], is: (one: Played) => boolean) => all.filter(is).length / all.length;

describe.each([0.55, 0.6])("a wanted order_confidence of %d", (wanted) => {
  it("is how often the best is the best, at least, of the tournaments that end with it", () => {
    const early = Array.from({ length: 300 }, (_, seed) => played(8, wanted, seed)).filter((one) => one.early);
    expect(early.length).toBeGreaterThan(5);
    expect(shareOf(early, ({ right }) => right)).toBeGreaterThanOrEqual(wanted);
  });
});

describe("a wanted order_confidence that all pairs once do not give", () => {
  it("is reached by more votes of the closest pairs, and is how often the best is the best", () => {
    const wanted = 0.85;
    const all = Array.from({ length: 120 }, (_, seed) => played(5, wanted, seed));
    const late = all.filter(({ early, generations }) => !early && generations > 10);
    const reached = late.filter(({ confidence }) => confidence >= wanted);
    expect(late.length).toBeGreaterThan(60);
    expect(reached.length / late.length).toBeGreaterThan(0.2);
    expect(shareOf(reached, ({ right }) => right)).toBeGreaterThanOrEqual(wanted);
  });

  it("is given up where every pair that could tell has all its votes, of equals", () => {
    const equals = played(4, 0.999, 7, 0);
    expect(equals.confidence).toBeLessThan(0.999);
    expect(equals.most).toBe(2 * LIMITS.samples_again_max);
  });
});
